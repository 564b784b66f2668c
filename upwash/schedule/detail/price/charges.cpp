// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/charges.hpp"

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::schedule::detail {

machine_with_costs::machine_with_costs(const machine& on, price_options::costs chosen)
    : given_(on) {
  if (on.levels.empty()) {
    throw error(error_kind::configuration, "machine \"" + on.name + "\" has no levels");
  }
  const auto has_both = [](const machine_level& level) { return level.loggp && level.alpha_beta; };
  if (std::ranges::none_of(on.levels, has_both)) return;
  own_ = on;
  for (machine_level& level : own_->levels) {
    if (!has_both(level)) continue;
    if (chosen == price_options::costs::loggp) {
      level.alpha_beta.reset();
    } else {
      level.loggp.reset();
    }
  }
}

charges::charges(const machine& on, const price_options& options)
    : on_(on),
      free_where_absent_(options.free_where_absent),
      ranks_per_node_(options.ranks_per_node),
      core_switch_(options.core_switch ? options.core_switch : on.processor.core_switch),
      messages_(on.levels.size()) {}

const model::message_cost& charges::message(std::size_t level, std::uint64_t bytes) {
  cached& place = messages_[level][(bytes ^ (bytes >> 6U)) & 3U];
  if (place.bytes != bytes) {
    place.cost = model::cost_of_message(on_, level, bytes);
    place.bytes = bytes;
  }
  return place.cost;
}

duration charges::copy(std::uint64_t bytes) const {
  if (bytes == 0 || (free_where_absent_ && !on_.processor.copy_ns_per_byte)) return {};
  return model::copy_time(on_, bytes);
}

duration charges::copy_out(std::uint64_t bytes) const {
  return on_.processor.copy_ns_per_byte ? copy(bytes) : duration();
}

duration charges::reduce(std::uint64_t bytes) const {
  if (bytes == 0 || (free_where_absent_ && !on_.processor.reduce_ns_per_byte)) return {};
  return model::bytes_time(
      bytes, needed(on_, on_.processor.reduce_ns_per_byte, "processor.reduce", "reducing"));
}

duration charges::combine() const {
  if (free_where_absent_ && !on_.processor.combine) return {};
  return needed(on_, on_.processor.combine, "processor.combine", "combining of messages");
}

duration charges::core_sharing(std::uint64_t rounds, duration busy, int ranks) const {
  const int together =
      ranks_per_node_ != 0 ? ranks_per_node_ : std::min(ranks, on_.ranks_in(level_kind::node));
  if (!on_.processor.cores_per_node || together <= *on_.processor.cores_per_node) return {};
  if (free_where_absent_ && !core_switch_) return {};
  const duration one = needed(on_, core_switch_, "processor.core_switch", "sharing of cores");
  return model::core_sharing_time(one, *on_.processor.cores_per_node, rounds, busy, together);
}

ports::ports(const machine& on, int ranks, int alike) {
  for (std::size_t i = 0; i < on.levels.size(); ++i) {
    level_state state;
    const bool outermost = i + 1 == on.levels.size();
    if (outermost && i > 0 && on.nic.of == nic_protocol::owner::node) {
      if (alike == 1) state.ranks_per_port = std::min(on.ranks_in(level_kind::node), ranks);
      state.times_busy = alike;
    }
    state.one_budget = outermost && on.nic.traffic == nic_protocol::budget::shared;
    state.all.resize(
        static_cast<std::size_t>((ranks + state.ranks_per_port - 1) / state.ranks_per_port));
    levels_.push_back(std::move(state));
  }
}

duration ports::depart(std::size_t level, int sender, duration ready,
                       const model::message_cost& cost) noexcept {
  level_state& state = levels_[level];
  port& at = state.all[static_cast<std::size_t>(sender / state.ranks_per_port)];
  const duration start = std::max(ready, at.out_free);
  at.out_free = start + cost.busy * state.times_busy;
  if (state.one_budget) at.in_free = at.out_free;
  return start + cost.latency;
}

duration ports::arrive(std::size_t level, int receiver, duration head,
                       const model::message_cost& cost) noexcept {
  level_state& state = levels_[level];
  port& at = state.all[static_cast<std::size_t>(receiver / state.ranks_per_port)];
  const duration start = std::max(head, at.in_free);
  at.in_free = start + cost.busy * state.times_busy;
  if (state.one_budget) at.out_free = at.in_free;
  return start + cost.transfer;
}

duration ports::all_left(int sender) const noexcept {
  duration last;
  for (const level_state& state : levels_) {
    last =
        std::max(last, state.all[static_cast<std::size_t>(sender / state.ranks_per_port)].out_free);
  }
  return last;
}

bool ports::any_contended() const noexcept {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (contended(level)) return true;
  }
  return false;
}

void ports::shift(const std::vector<duration>& out, const std::vector<duration>& in) {
  for (level_state& state : levels_) {
    for (std::size_t i = 0; i < state.all.size(); ++i) {
      const std::size_t rank = i * static_cast<std::size_t>(state.ranks_per_port);
      state.all[i].out_free += out[rank];
      state.all[i].in_free += in[rank];
    }
  }
}

}  // namespace upwash::schedule::detail
