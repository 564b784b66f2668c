// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/packet_carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

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
  const std::uint64_t all = std::max(bytes, model::least_packet_bytes);
  under_way_[slot] = {id, all};
  const int node = from / ranks_per_node_;
  of_node_[static_cast<std::size_t>(node)].messages.push_back(
      {to / ranks_per_node_, slot, all, (now + with_.send_overhead).ps()});
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
  sender& mine = of_node_[static_cast<std::size_t>(node)];
  if (mine.ended_bytes > 0) {  // the last packet of a message has just been put on the link
    const std::int64_t rate = std::max(with_.ps_per_byte, with_.nic_ps_per_byte);
    mine.free_ps = now_ps + rate * std::exchange(mine.ended_bytes, 0U) + with_.message_gap.ps();
    if (with_.one_budget) network_.hold(node, with_.message_gap);
  }
  if (mine.messages.empty()) return false;
  queued& first = mine.messages.front();
  first.ready_ps = std::max(first.ready_ps, mine.free_ps);
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
  fresh.group = first.group;
  if (first.kind != packet_kind::single) ++first.slot;
  first.left -= fresh.bytes;
  if (first.left > 0) return true;
  mine.ended_bytes = fresh.bytes;
  mine.messages.pop_front();
  return true;
}

void packet_carrier::arrived(const arrived_packet& what) {
  if (what.tag >= collective_tags) return arrived_result(what);
  message& of = under_way_[what.tag];
  of.left -= what.bytes;
  if (of.left > 0) return;
  free_.push_back(what.tag);
  if (with_.one_budget) network_.hold(what.to, with_.message_gap);
  tell(of.id, what.at_ps);
}

duration packet_carrier::next_time() {
  return arrivals_.empty() ? network_.next_time() : duration::from_ps(arrivals_.front().at_ps);
}

void packet_carrier::tell(std::uint64_t id, std::int64_t at_ps) {
  arrivals_.push_back({id, at_ps});
  network_.stop();
}

bool packet_carrier::has_collectives() const noexcept {
  return ranks_per_node_ == 1 && with_.design == switch_design::output_queued &&
         dynamic_cast<const model::fat_tree*>(&on_) != nullptr;
}

int packet_carrier::add_group(std::span<const int> ranks) {
  groups_.push_back(make_group(ranks));
  return static_cast<int>(groups_.size()) - 1;
}

packet_carrier::group packet_carrier::make_group(std::span<const int> ranks) {
  if (!has_collectives()) {
    throw error(error_kind::configuration,
                fmt::format("collectives in the network need a fat tree of output-queued switches "
                            "with one rank on each node; this is {} with {}",
                            on_.name(), ranks_per_node_));
  }
  if (!trees_) {
    trees_.emplace(dynamic_cast<const model::fat_tree&>(on_), model::parent_choice::least_loaded);
  }
  group made{-1, std::vector<int>(static_cast<std::size_t>(ranks_), -1), 0};
  for (const int rank : ranks) made.place_of[static_cast<std::size_t>(rank)] = made.members++;
  made.in_network = network_.add_group(trees_->build(ranks));
  return made;
}

const packet_carrier::group& packet_carrier::group_numbered(int number) {
  group& of = groups_[static_cast<std::size_t>(number)];
  if (of.members > 0) return of;
  std::vector<int> all(static_cast<std::size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0);
  return of = make_group(all);
}

std::uint32_t packet_carrier::take_tags(std::uint64_t packets) {
  if (packets > UINT32_MAX - next_tag_) next_tag_ = collective_tags;
  const std::uint32_t first = next_tag_;
  next_tag_ += static_cast<std::uint32_t>(packets);
  return first;
}

/// The collective that the part belongs to, begun when it is the first.
packet_carrier::operation_map::iterator packet_carrier::begin(const part& in, std::uint64_t bytes) {
  const group& of = group_numbered(in.group);
  const operation_key key{in.group, in.what, in.number};
  if (const auto at = numbered_.find(key); at != numbered_.end()) {
    return operations_.find(at->second);
  }
  const auto members = static_cast<std::size_t>(of.members);
  const std::uint32_t tag = take_tags((bytes + with_.packet_bytes - 1) / with_.packet_bytes);
  numbered_.emplace(key, tag);
  return operations_
      .emplace(tag, operation{key, std::vector<std::uint64_t>(members, bytes),
                              std::vector<std::uint64_t>(members, nobody), of.members})
      .first;
}

void packet_carrier::join(duration now, int rank, const part& in, std::uint64_t id) {
  const std::uint64_t bytes = std::max(in.bytes, model::least_packet_bytes);
  const auto at = begin(in, bytes);
  operation& of = at->second;
  const group& among = groups_[static_cast<std::size_t>(in.group)];
  const auto place = static_cast<std::size_t>(among.place_of[static_cast<std::size_t>(rank)]);
  const bool is_root = rank == in.root;
  const bool casts = in.what == network_collective::broadcast;
  const bool reduces = in.what == network_collective::reduce;
  const bool alone = among.members == 1;
  const bool sends = !alone && (casts ? is_root : !reduces || !is_root);
  const bool gets = !alone && (casts ? !is_root : !reduces || is_root);
  if (sends) {
    const packet_kind kind = casts     ? packet_kind::multicast
                             : reduces ? packet_kind::reduce
                                       : packet_kind::all_reduce;
    of_node_[static_cast<std::size_t>(rank)].messages.push_back(
        {in.root, at->first, bytes, (now + with_.send_overhead).ps(), kind, among.in_network});
  }
  if (gets && of.left[place] > 0) {
    of.ids[place] = id;
  } else {
    end_part(at, id, now.ps());
  }
  if (sends) network_.has_packets(rank);
}

void packet_carrier::arrived_result(const arrived_packet& what) {
  const auto at = std::prev(operations_.upper_bound(what.tag));
  operation& of = at->second;
  const group& among = groups_[static_cast<std::size_t>(std::get<0>(of.key))];
  const auto place = static_cast<std::size_t>(among.place_of[static_cast<std::size_t>(what.to)]);
  of.left[place] -= what.bytes;
  if (of.left[place] == 0 && of.ids[place] != nobody) end_part(at, of.ids[place], what.at_ps);
}

/// A member's part is over; with the last one the collective is forgotten.
void packet_carrier::end_part(operation_map::iterator of, std::uint64_t id, std::int64_t at_ps) {
  tell(id, at_ps);
  if (--of->second.untold > 0) return;
  numbered_.erase(of->second.key);
  operations_.erase(of);
}

}  // namespace upwash::simulator
