// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/detail/replay_state.hpp"

#include <algorithm>
#include <utility>

namespace upwash::simulator::detail {

replay_state::replay_state(int count, function_ref<schedule::generator(int)> schedule_of,
                           const machine& on, const schedule::transfer_rules& by,
                           const replay_options& with, lookahead windows)
    : rules(by),
      options(with),
      ranks_per_node(on.ranks_in(level_kind::node)),
      ranks_a_place(windows.window_ps == 0 ? count : std::min(ranks_per_node, count)),
      ahead(std::move(windows)),
      network(on, count) {
  const auto many = static_cast<std::size_t>(count);
  facts.resize(options.facts_of ? many : 1);
  ranks.reserve(many);
  for (int r = 0; r < count; ++r) {
    const std::size_t mine = options.facts_of ? static_cast<std::size_t>(r) : 0;
    if (options.facts_of) facts[mine] = (*options.facts_of)(r);
    ranks.emplace_back(schedule_of(r), &facts[mine], options.least_window);
  }
  std::size_t room = 0;
  for (const replay_rank& each : ranks) room += each.window;
  open_steps.resize(room);
  open_step* ring = open_steps.data();
  for (replay_rank& each : ranks) each.ring = std::exchange(ring, ring + each.window);
  if (ahead.window_ps == 0) ahead.window_ps = INT64_MAX;
  places.resize(place_of(count - 1) + 1);
  next_ps.resize(places.size(), INT64_MAX);
  stretches.resize((places.size() + places_a_stretch - 1) / places_a_stretch);
}

std::size_t replay_state::memory_bytes() const noexcept {
  std::size_t sum = 0;
  for (const replay_rank& each : ranks) sum += each.memory_bytes();
  for (const replay_place& each : places) {
    sum += sizeof(each) + each.events.memory_bytes() + each.coming.memory_bytes();
  }
  for (const stretch& each : stretches) sum += sizeof(each) + each.parcels.memory_bytes();
  sum += next_ps.size() * sizeof(std::int64_t);
  if (options.facts_of) sum += facts.size() * sizeof(schedule::facts);
  constexpr std::size_t bytes_a_port = 16;
  return sum + ranks.size() * network.on().levels.size() * bytes_a_port;
}

}  // namespace upwash::simulator::detail
