// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::simulator {

message_network::message_network(machine on, int ranks) : on_(std::move(on)) {
  if (on_.levels.empty()) {
    throw error(error_kind::configuration, "machine \"" + on_.name + "\" has no levels");
  }
  for (std::size_t i = 0; i < on_.levels.size(); ++i) {
    level_state state;
    const bool outermost = i + 1 == on_.levels.size();
    if (outermost && i > 0 && on_.nic.of == nic_protocol::owner::node) {
      state.ranks_per_port = std::min(on_.ranks_in(level_kind::node), ranks);
    }
    state.one_budget = outermost && on_.nic.traffic == nic_protocol::budget::shared;
    const int ports = (ranks + state.ranks_per_port - 1) / state.ranks_per_port;
    state.ports.resize(static_cast<std::size_t>(ports));
    levels_.push_back(std::move(state));
  }
  if (on_.processor.communication_thread) threads_.resize(static_cast<std::size_t>(ranks));
}

const model::message_cost& message_network::cost(std::size_t level, std::uint64_t bytes) {
  level_state& state = levels_[level];
  if (state.cached_bytes != bytes) {
    state.cached = model::cost_of_message(on_, level, bytes);
    state.cached_bytes = bytes;
  }
  return state.cached;
}

duration message_network::by_thread(int rank, duration ready, duration overhead) noexcept {
  duration& free = threads_[static_cast<std::size_t>(rank)];
  free = std::max(free, ready) + overhead;
  return free;
}

duration message_network::depart(std::size_t level, int sender, duration ready,
                                 const model::message_cost& cost) noexcept {
  level_state& state = levels_[level];
  port& at = state.ports[static_cast<std::size_t>(sender / state.ranks_per_port)];
  const duration start = std::max(ready, at.out_free);
  at.out_free = start + cost.busy;
  if (state.one_budget) at.in_free = at.out_free;
  return start + cost.latency;
}

duration message_network::arrive(std::size_t level, int receiver, duration head,
                                 const model::message_cost& cost) noexcept {
  level_state& state = levels_[level];
  port& at = state.ports[static_cast<std::size_t>(receiver / state.ranks_per_port)];
  const duration start = std::max(head, at.in_free);
  at.in_free = start + cost.busy;
  if (state.one_budget) at.out_free = at.in_free;
  return start + cost.transfer;
}

}  // namespace upwash::simulator
