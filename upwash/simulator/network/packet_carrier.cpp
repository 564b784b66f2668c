// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/packet_carrier.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace upwash::simulator {

packet_carrier::packet_carrier(const model::topology& on, const network_parameters& with, int ranks,
                               int ranks_per_node, std::uint64_t seed)
    : with_(with),
      ranks_per_node_(ranks_per_node),
      through_others_(on.wants_via()),
      seed_(seed),
      of_node_(static_cast<std::size_t>(on.nodes())),
      network_(on, with, *this, seed) {
  const std::int64_t places = std::int64_t{on.nodes()} * std::max(ranks_per_node, 0);
  if (ranks_per_node < 1 || ranks > places) {
    throw error(error_kind::argument,
                fmt::format("{} has {} nodes; with {} ranks on each, {} ranks do not fit",
                            on.name(), on.nodes(), ranks_per_node, ranks));
  }
}

void packet_carrier::send(duration now, int from, int to, std::uint64_t bytes, std::uint64_t id) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(under_way_.size()));
    under_way_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  const std::uint64_t all = std::max(bytes, least_bytes);
  under_way_[slot] = {id, all};
  const int node = from / ranks_per_node_;
  of_node_[static_cast<std::size_t>(node)].push_back(
      {to / ranks_per_node_, slot, all, (now + with_.send_overhead).ps(), false});
  network_.has_packets(node);
}

bool packet_carrier::run(duration until, function_ref<void(std::uint64_t, duration)> told) {
  network_.run(until);
  for (const arrival& each : arrivals_) told(each.id, duration::from_ps(each.at_ps));
  const bool some = !arrivals_.empty();
  arrivals_.clear();
  return some;
}

bool packet_carrier::next(int node, std::int64_t now_ps, offered_packet& fresh) {
  auto& mine = of_node_[static_cast<std::size_t>(node)];
  if (mine.empty()) return false;
  queued& first = mine.front();
  if (!first.begun) first.ready_ps = std::max(first.ready_ps, now_ps) + with_.message_gap.ps();
  first.begun = true;
  fresh = {};
  fresh.goal.to = first.to;
  if (through_others_) {
    random_stream random(seed_, ++draws_);
    fresh.goal.via = static_cast<int>(random.below(of_node_.size()));
  }
  fresh.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(first.left, with_.packet_bytes));
  fresh.born_ps = fresh.ready_ps = first.ready_ps;
  fresh.tag = first.slot;
  first.left -= fresh.bytes;
  if (first.left == 0) mine.pop_front();
  return true;
}

void packet_carrier::arrived(const arrived_packet& what) {
  message& of = under_way_[what.tag];
  of.left -= what.bytes;
  if (of.left > 0) return;
  arrivals_.push_back({of.id, what.at_ps});
  free_.push_back(what.tag);
  network_.stop();
}

}  // namespace upwash::simulator
