// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/packet_carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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
      on_(on),
      ranks_(ranks),
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
  of_node_[static_cast<std::size_t>(node)].push_back({to / ranks_per_node_, slot, all,
                                                      (now + with_.send_overhead).ps(), false,
                                                      packet_kind::single});
  network_.has_packets(node);
}

bool packet_carrier::run(duration until, function_ref<void(std::uint64_t, duration)> told) {
  if (arrivals_.empty()) network_.run(until);
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
  fresh.kind = first.kind;
  fresh.group = group_;
  if (first.kind != packet_kind::single) ++first.slot;
  first.left -= fresh.bytes;
  if (first.left == 0) mine.pop_front();
  return true;
}

void packet_carrier::arrived(const arrived_packet& what) {
  if (what.tag >= collective_tags) return arrived_result(what);
  message& of = under_way_[what.tag];
  of.left -= what.bytes;
  if (of.left > 0) return;
  free_.push_back(what.tag);
  tell(of.id, what.at_ps);
}

void packet_carrier::tell(std::uint64_t id, std::int64_t at_ps) {
  arrivals_.push_back({id, at_ps});
  network_.stop();
}

void packet_carrier::build_group() {
  const auto* tree = dynamic_cast<const model::fat_tree*>(&on_);
  if (tree == nullptr || ranks_per_node_ != 1) {
    throw error(
        error_kind::configuration,
        fmt::format("collectives in the network need a fat tree with one rank on each node; "
                    "this is {} with {}",
                    on_.name(), ranks_per_node_));
  }
  std::vector<int> members(static_cast<std::size_t>(ranks_));
  std::iota(members.begin(), members.end(), 0);
  model::spanning_tree_builder builder(*tree, model::parent_choice::least_loaded);
  group_ = network_.add_group(builder.build(members));
}

packet_carrier::operation& packet_carrier::begin(network_collective what, std::uint64_t bytes,
                                                 std::uint32_t number) {
  if (group_ < 0) build_group();
  const auto [at, fresh] = numbered_.try_emplace({what, number}, operations_.size());
  if (!fresh) return operations_[at->second];
  const auto ranks = static_cast<std::size_t>(ranks_);
  operations_.push_back({collective_tags + static_cast<std::uint32_t>(of_tag_.size()),
                         std::vector<std::uint64_t>(ranks, bytes),
                         std::vector<std::uint64_t>(ranks, nobody)});
  const std::uint64_t packets = (bytes + with_.packet_bytes - 1) / with_.packet_bytes;
  of_tag_.insert(of_tag_.end(), packets, at->second);
  return operations_.back();
}

void packet_carrier::join(duration now, int rank, network_collective what, int root,
                          std::uint64_t bytes, std::uint32_t number, std::uint64_t id) {
  const std::uint64_t all = std::max(bytes, least_bytes);
  operation& of = begin(what, all, number);
  const auto r = static_cast<std::size_t>(rank);
  const bool is_root = rank == root;
  const bool sends = what == network_collective::broadcast ? is_root
                     : what == network_collective::reduce  ? !is_root
                                                           : true;
  const bool gets = what == network_collective::broadcast ? !is_root
                    : what == network_collective::reduce  ? is_root
                                                          : true;
  if (sends && ranks_ > 1) {
    const packet_kind kind = what == network_collective::broadcast ? packet_kind::multicast
                             : what == network_collective::reduce  ? packet_kind::reduce
                                                                   : packet_kind::all_reduce;
    of_node_[r].push_back({root, of.first_tag, all, (now + with_.send_overhead).ps(), false, kind});
  }
  if (!gets || of.left[r] == 0 || ranks_ == 1) {
    arrivals_.push_back({id, now.ps()});
  } else {
    of.ids[r] = id;
  }
  if (sends) network_.has_packets(rank);
}

void packet_carrier::arrived_result(const arrived_packet& what) {
  operation& of = operations_[of_tag_[what.tag - collective_tags]];
  const auto rank = static_cast<std::size_t>(what.to);
  of.left[rank] -= what.bytes;
  if (of.left[rank] == 0 && of.ids[rank] != nobody) tell(of.ids[rank], what.at_ps);
}

}  // namespace upwash::simulator
