// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/detail/input_queues.hpp"

#include <algorithm>
#include <cmath>

namespace upwash::simulator::detail {

input_queues::input_queues(packet_network& in)
    : in_(in),
      each_(static_cast<std::uint32_t>(in.with_.input_queues)),
      virtual_outputs_(in.with_.input_queues == 0),
      inputs_(in.lanes_.size()),
      outputs_(in.lanes_.size()) {
  if (virtual_outputs_) each_ = in.most_ports_ << in.lane_bits_;
  queues_.resize(in.lanes_.size() * each_);
}

void input_queues::schedule(std::int64_t at_ps, std::uint32_t lane, bool is_output) {
  in_.schedule(at_ps, packet_network::happening::crossbar, in_.link_of(lane),
               lane * 2 + (is_output ? 1 : 0));
}

void input_queues::reach(std::uint32_t packet_id) {
  const std::uint32_t in_lane = in_.packets_[packet_id].held;
  --in_.lanes_[in_lane].under_way;
  std::uint32_t index = 0;
  if (virtual_outputs_) {
    packet_network::packet& p = in_.packets_[packet_id];
    p.out = in_.route(p);
    index = p.out - (in_.first_link(in_.links_[in_.link_of(in_lane)].to_switch) << in_.lane_bits_);
  } else {
    for (std::uint32_t i = 1; i < each_; ++i) {  // the shortest one, of equal ones the first
      const auto length = [&](std::uint32_t q) {
        return queue(in_lane, q).waiting.size + (queue(in_lane, q).asks != none ? 1 : 0);
      };
      if (length(i) < length(index)) index = i;
    }
  }
  in_.append(queue(in_lane, index).waiting, packet_id);
  in_.packets_[packet_id].queue = index;
  ask(in_lane, index);
}

void input_queues::ask(std::uint32_t in_lane, std::uint32_t index) {
  input_queue& from = queue(in_lane, index);
  if (from.asks != none || from.waiting.size == 0) return;
  const std::uint32_t packet_id = in_.take_first(from.waiting);
  packet_network::packet& p = in_.packets_[packet_id];
  if (!virtual_outputs_) p.out = in_.route(p);
  from.asks = p.out;
  in_.append(outputs_[p.out].asking, packet_id);
  transfer(p.out);
}

/// The packet that asked first among those whose input is free; none: there is none.
std::uint32_t input_queues::take_from_free_input(packet_network::queue& asking) {
  std::uint32_t before = none;
  for (std::uint32_t id = asking.head; id != none; id = in_.packets_[id].next) {
    if (inputs_[in_.packets_[id].held].free_ps > in_.now_ps_) {
      before = id;
      continue;
    }
    const std::uint32_t after = in_.packets_[id].next;
    (before == none ? asking.head : in_.packets_[before].next) = after;
    if (asking.tail == id) asking.tail = before;
    --asking.size;
    return id;
  }
  return none;
}

void input_queues::transfer(std::uint32_t out_lane) {
  output& at = outputs_[out_lane];
  if (at.asking.size == 0 || at.free_ps > in_.now_ps_) return;
  if (in_.lanes_[out_lane].waiting.size >= in_.room_behind_crossbar()) return;
  const std::uint32_t packet_id = take_from_free_input(at.asking);
  if (packet_id == none) return;
  const packet_network::packet p = in_.packets_[packet_id];
  const auto time = static_cast<std::int64_t>(
      std::llround(static_cast<double>(in_.time_of(p.bytes)) / in_.with_.speedup));
  at.free_ps = in_.now_ps_ + time;
  input& from = inputs_[p.held];
  from.free_ps = at.free_ps;
  from.turn = p.queue + 1 == each_ ? 0 : p.queue + 1;
  queue(p.held, p.queue).asks = none;
  schedule(at.free_ps, p.held, false);
  schedule(at.free_ps, out_lane, true);
  in_.give_back(p.held, 0);
  in_.enqueue(out_lane, packet_id);
  ask(p.held, p.queue);
}

void input_queues::output_left(std::uint32_t out_lane) {
  const output& at = outputs_[out_lane];
  const bool was_full = in_.lanes_[out_lane].waiting.size + 1 == in_.room_behind_crossbar();
  if (was_full && at.asking.size > 0) schedule(std::max(at.free_ps, in_.now_ps_), out_lane, true);
}

void input_queues::turn(std::uint32_t which) {
  const std::uint32_t lane = which / 2;
  if (which % 2 == 1) return transfer(lane);
  for (std::uint32_t i = 0, index = inputs_[lane].turn; i < each_; ++i) {
    if (inputs_[lane].free_ps > in_.now_ps_) return;
    if (queue(lane, index).asks != none) transfer(queue(lane, index).asks);
    if (++index == each_) index = 0;
  }
}

}  // namespace upwash::simulator::detail
