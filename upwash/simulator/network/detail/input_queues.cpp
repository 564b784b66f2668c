// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/detail/input_queues.hpp"

#include <algorithm>
#include <cmath>

namespace upwash::simulator::detail {

input_queues::input_queues(packet_network& in)
    : in_(in), inputs_(in.lanes_.size()), outputs_(in.lanes_.size()) {}

void input_queues::schedule(std::int64_t at_ps, std::uint32_t lane, bool is_output) {
  in_.schedule(at_ps, packet_network::happening::crossbar, in_.link_of(lane),
               lane * 2 + (is_output ? 1 : 0));
}

void input_queues::reach(std::uint32_t packet_id) {
  const std::uint32_t in_lane = in_.packets_[packet_id].held;
  --in_.lanes_[in_lane].under_way;
  in_.append(inputs_[in_lane].waiting, packet_id);
  ask(in_lane);
}

void input_queues::ask(std::uint32_t in_lane) {
  input& at = inputs_[in_lane];
  if (at.asks || at.waiting.size == 0 || at.free_ps > in_.now_ps_) return;
  at.asks = true;
  const std::uint32_t packet_id = in_.take_first(at.waiting);
  const std::uint32_t out_lane = in_.route(in_.packets_[packet_id]);
  output& to = outputs_[out_lane];
  in_.append(to.asking, packet_id);
  if (to.free_ps <= in_.now_ps_) return transfer(out_lane);
  if (to.asking.size == 1) schedule(to.free_ps, out_lane, true);
}

void input_queues::transfer(std::uint32_t out_lane) {
  output& at = outputs_[out_lane];
  if (at.asking.size == 0 || at.free_ps > in_.now_ps_) return;
  if (in_.lanes_[out_lane].waiting.size >= in_.room_behind_crossbar()) return;
  const std::uint32_t packet_id = in_.take_first(at.asking);
  const std::uint32_t in_lane = in_.packets_[packet_id].held;
  const auto time = static_cast<std::int64_t>(std::llround(
      static_cast<double>(in_.time_of(in_.packets_[packet_id].bytes)) / in_.with_.speedup));
  at.free_ps = in_.now_ps_ + time;
  inputs_[in_lane].free_ps = at.free_ps;
  inputs_[in_lane].asks = false;
  schedule(at.free_ps, in_lane, false);
  if (at.asking.size > 0) schedule(at.free_ps, out_lane, true);
  in_.give_back(in_lane, 0);
  in_.enqueue(out_lane, packet_id);
}

void input_queues::output_left(std::uint32_t out_lane) {
  const output& at = outputs_[out_lane];
  const bool was_full = in_.lanes_[out_lane].waiting.size + 1 == in_.room_behind_crossbar();
  if (was_full && at.asking.size > 0) schedule(std::max(at.free_ps, in_.now_ps_), out_lane, true);
}

void input_queues::turn(std::uint32_t which) {
  if (which % 2 == 0) return ask(which / 2);
  transfer(which / 2);
}

}  // namespace upwash::simulator::detail
