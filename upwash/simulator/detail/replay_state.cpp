// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/detail/replay_state.hpp"

#include <algorithm>
#include <utility>

#include "upwash/model/cost.hpp"

namespace upwash::simulator::detail {

replay_state::replay_state(int count, function_ref<schedule::generator(int)> schedule_of,
                           const machine& on, const schedule::transfer_rules& by,
                           const replay_options& with, std::int64_t window_ps)
    : rules(by),
      options(with),
      ranks_per_node(on.ranks_in(level_kind::node)),
      ranks_a_place(window_ps == 0 ? count : std::min(ranks_per_node, count)),
      window(window_ps == 0 ? INT64_MAX : window_ps),
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
  places.resize(place_of(count - 1) + 1);
  next_ps.resize(places.size(), INT64_MAX);
  stretches.resize((places.size() + places_a_stretch - 1) / places_a_stretch);
}

std::size_t replay_state::memory_bytes() const noexcept {
  std::size_t sum = 0;
  for (const replay_rank& each : ranks) sum += each.memory_bytes();
  for (const event_heap& each : places) sum += sizeof(each) + each.memory_bytes();
  for (const stretch& each : stretches) sum += sizeof(each) + each.parcels.memory_bytes();
  sum += next_ps.size() * sizeof(std::int64_t);
  if (options.facts_of) sum += facts.size() * sizeof(schedule::facts);
  constexpr std::size_t bytes_a_port = 16;
  return sum + ranks.size() * network.on().levels.size() * bytes_a_port;
}

std::int64_t least_latency_ps(const machine& on, int ranks_a_place) {
  std::vector<std::uint64_t> sizes{0, 1, 3};
  for (std::uint64_t bytes = 2; bytes < std::uint64_t{1} << 20U; bytes *= 2) {
    sizes.push_back(bytes);
  }
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i < on.levels.size(); ++i) {
    const machine_level& level = on.levels[i];
    const bool is_outermost = i + 1 == on.levels.size();
    if (!is_outermost && (!level.has_costs() || level.ranks.value_or(INT_MAX) <= ranks_a_place)) {
      continue;
    }
    for (const std::uint64_t bytes : sizes) {
      least = std::min(least, model::cost_of_message(on, i, bytes).latency.ps());
    }
  }
  return least;
}

}  // namespace upwash::simulator::detail
