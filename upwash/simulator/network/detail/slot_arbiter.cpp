// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/detail/slot_arbiter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::simulator::detail {

slot_arbiter::slot_arbiter(packet_network& in)
    : in_(in),
      each_(static_cast<std::uint32_t>(std::max(in.with_.input_queues, 1)) + 1),
      virtual_outputs_(in.with_.input_queues == 0),
      slot_ps_(std::llround(static_cast<double>(in.with_.packet_time().ps()) / in.with_.speedup)),
      turns_(in.lanes_.size()),
      arrives_(static_cast<std::size_t>(in.in_.switches())),
      next_ps_(arrives_.size(), -1),
      pending_(arrives_.size(), false) {
  if (virtual_outputs_) each_ = (in.most_ports_ << in.lane_bits_) + 1;
  queues_.resize(in.lanes_.size() * each_);
  for (std::uint32_t lane = 0; lane < in.lanes_.size(); ++lane) {
    const std::int32_t to = in.links_[in.link_of(lane)].to_switch;
    if (to >= 0) arrives_[static_cast<std::size_t>(to)].push_back(lane);
  }
}

void slot_arbiter::reach(std::uint32_t packet_id) {
  packet_network::packet& p = in_.packets_[packet_id];
  if (p.kind == packet_kind::reduce || p.kind == packet_kind::all_reduce) {
    throw error(error_kind::argument, "network: reductions need output-queued switches");
  }
  const std::uint32_t in_lane = p.held;
  const std::int32_t here = in_.links_[in_.link_of(in_lane)].to_switch;
  --in_.lanes_[in_lane].under_way;
  std::uint32_t index = 0;
  if (p.kind == packet_kind::multicast) {
    index = each_ - 1;
  } else if (virtual_outputs_) {
    p.out = in_.route(p);
    index = p.out - (in_.first_link(here) << in_.lane_bits_);
  } else {
    for (std::uint32_t i = 1; i + 1 < each_; ++i) {  // the shortest one, of equal ones the first
      if (of(in_lane, i).waiting.size < of(in_lane, index).waiting.size) index = i;
    }
  }
  input_queue& q = of(in_lane, index);
  in_.append(q.waiting, packet_id);
  if (q.waiting.size == 1) come_first(in_lane * each_ + index);
  wake(here);
}

/// The queue has a new first packet, or none.
void slot_arbiter::come_first(std::uint32_t queue) {
  input_queue& q = queues_[queue];
  q.goes_to.clear();
  if (q.waiting.size == 0) return;
  packet_network::packet& p = in_.packets_[q.waiting.head];
  if (p.kind != packet_kind::multicast) {
    if (!virtual_outputs_) p.out = in_.route(p);
    q.goes_to.push_back(p.out);
    return;
  }
  const packet_network::link& came = in_.links_[in_.link_of(p.held)];
  for (const int port : in_.row_of(p.group, came.to_switch, static_cast<int>(came.to)).ports) {
    if (port == static_cast<int>(came.to)) continue;
    const std::uint32_t out = in_.first_link(came.to_switch) + static_cast<std::uint32_t>(port);
    ++in_.claimed_[out];
    q.goes_to.push_back(out << in_.lane_bits_);
  }
}

/// A slot of the switch is to begin, if none is to: at the next multiple of a packet's time.
void slot_arbiter::wake(int of_switch) {
  const auto s = static_cast<std::size_t>(of_switch);
  if (pending_[s]) return;
  const std::int64_t soonest = std::max(in_.now_ps_, next_ps_[s] + 1);
  next_ps_[s] = (soonest + slot_ps_ - 1) / slot_ps_ * slot_ps_;
  pending_[s] = true;
  in_.schedule(next_ps_[s], packet_network::happening::crossbar, in_.first_link(of_switch),
               static_cast<std::uint32_t>(of_switch));
}

void slot_arbiter::output_left(std::uint32_t out_lane) {
  const std::uint32_t which = in_.link_of(out_lane);
  const auto after = std::upper_bound(in_.first_links_.begin(), in_.first_links_.end(), which);
  wake(static_cast<int>(after - in_.first_links_.begin()) - 1);
}

bool slot_arbiter::has_room(std::uint32_t out_lane) const {
  return in_.lanes_[out_lane].waiting.size < in_.room_behind_crossbar();
}

bool slot_arbiter::asks(std::uint32_t queue, std::uint32_t out_lane) const {
  const auto& lanes = queues_[queue].goes_to;
  return std::find(lanes.begin(), lanes.end(), out_lane) != lanes.end();
}

void slot_arbiter::match(int of_switch) {
  const auto s = static_cast<std::size_t>(of_switch);
  pending_[s] = false;
  std::vector<std::uint32_t> busy;  // queues with packets
  for (const std::uint32_t in_lane : arrives_[s]) {
    turns_[in_lane].sends = none;
    for (std::uint32_t i = 0; i < each_; ++i) {
      if (of(in_lane, i).waiting.size > 0) busy.push_back(in_lane * each_ + i);
    }
  }
  const auto older = [&](std::uint32_t a, std::uint32_t b) {
    const std::int64_t difference = born(queues_[a]) - born(queues_[b]);
    return difference != 0 ? difference < 0 : a < b;
  };
  std::sort(busy.begin(), busy.end(), older);
  const std::uint32_t first = in_.first_link(of_switch) << in_.lane_bits_;
  const auto ports = static_cast<std::uint32_t>(in_.in_.ports(of_switch)) << in_.lane_bits_;
  for (std::uint32_t lane = first; lane < first + ports; ++lane) {
    turns_[lane].taken = !has_room(lane);
    turns_[lane].granted = none;
  }
  if (!in_.with_.fanout_splitting) take_whole(busy);
  for (int round = 0; round < in_.with_.arbiter_rounds; ++round) {
    grant(busy);
    accept(busy);
  }
  bool some = false;
  for (const std::uint32_t queue : busy) {
    if (turns_[queue / each_].sends != queue) continue;
    cross(queue);
    some = true;
  }
  // Where nothing crossed, all wait for room: then output_left will wake it.
  if (some) wake(of_switch);
}

/// Multicasts that are not split, the oldest first: all their outputs or none.
void slot_arbiter::take_whole(const std::vector<std::uint32_t>& busy) {
  for (const std::uint32_t queue : busy) {
    const input_queue& q = queues_[queue];
    if (queue % each_ + 1 != each_ || turns_[queue / each_].sends != none) continue;
    const auto free = [&](std::uint32_t out) { return !turns_[out].taken; };
    if (!std::all_of(q.goes_to.begin(), q.goes_to.end(), free)) continue;
    turns_[queue / each_].sends = queue;
    for (const std::uint32_t out : q.goes_to) {
      turns_[out].taken = true;
      turns_[out].granted = queue;
    }
  }
}

/// Each free output grants the oldest packet whose input is free, or sends that packet already.
void slot_arbiter::grant(const std::vector<std::uint32_t>& busy) {
  for (const std::uint32_t queue : busy) {
    if (queue % each_ + 1 == each_ && !in_.with_.fanout_splitting) continue;
    const std::uint32_t sends = turns_[queue / each_].sends;
    if (sends != none && sends != queue) continue;
    for (const std::uint32_t out : queues_[queue].goes_to) {
      if (!turns_[out].taken && turns_[out].granted == none) turns_[out].granted = queue;
    }
  }
}

/// Each free input accepts its oldest packet that was granted an output; other grants lapse.
void slot_arbiter::accept(const std::vector<std::uint32_t>& busy) {
  for (const std::uint32_t queue : busy) {
    std::uint32_t& sends = turns_[queue / each_].sends;
    for (const std::uint32_t out : queues_[queue].goes_to) {
      turn& at = turns_[out];
      if (at.taken || at.granted != queue) continue;
      if (sends == none) sends = queue;
      at.taken = sends == queue;
      if (!at.taken) at.granted = none;
    }
  }
}

/// The first packet of the queue goes to the outputs that it was given.
void slot_arbiter::cross(std::uint32_t queue) {
  input_queue& q = queues_[queue];
  const std::uint32_t packet_id = q.waiting.head;
  const std::uint32_t in_lane = queue / each_;
  const auto given = [&](std::uint32_t out) {
    return turns_[out].taken && turns_[out].granted == queue;
  };
  if (in_.packets_[packet_id].kind != packet_kind::multicast) {
    const std::uint32_t out = q.goes_to.front();
    (void)in_.take_first(q.waiting);
    in_.give_back(in_lane, 0);
    in_.enqueue(out, packet_id);
    return come_first(queue);
  }
  for (const std::uint32_t out : q.goes_to) {
    if (given(out))
      in_.enqueue(out, in_.new_packet(packet_network::packet(in_.packets_[packet_id])));
  }
  std::erase_if(q.goes_to, given);
  if (!q.goes_to.empty()) return;
  (void)in_.take_first(q.waiting);
  in_.give_back(in_lane, 0);
  in_.free_packet(packet_id);
  come_first(queue);
}

}  // namespace upwash::simulator::detail
