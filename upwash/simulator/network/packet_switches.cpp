// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Output-queued switches, routes, and credits (Kumar 2005, section 8.1): a packet goes to its
// output at once, where room is reserved for its input; its credit goes back when it leaves.
#include <algorithm>

#include "upwash/base/random.hpp"
#include "upwash/simulator/network/detail/combine_units.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {

void packet_network::append(queue& to, std::uint32_t packet_id) noexcept {
  packets_[packet_id].next = none;
  if (to.size++ == 0) {
    to.head = packet_id;
  } else {
    packets_[to.tail].next = packet_id;
  }
  to.tail = packet_id;
}

std::uint32_t packet_network::take_first(queue& from) noexcept {
  const std::uint32_t packet_id = from.head;
  from.head = packets_[packet_id].next;
  --from.size;
  return packet_id;
}

std::uint32_t packet_network::new_packet(const packet& fresh) {
  ++live_;
  if (free_packet_ == none) {
    packets_.push_back(fresh);
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t packet_id = free_packet_;
  free_packet_ = packets_[packet_id].next;
  packets_[packet_id] = fresh;
  return packet_id;
}

void packet_network::free_packet(std::uint32_t packet_id) noexcept {
  --live_;
  packets_[packet_id].next = free_packet_;
  free_packet_ = packet_id;
}

/// Adaptive: the port with the fewest packets waiting, of equal ones the first after a random one.
int packet_network::choose(std::uint32_t first_link, const model::hop& among) {
  if (among.count == 1) return among.first;
  const auto count = static_cast<std::uint64_t>(among.count);
  const std::uint64_t bits = random_bits(seed_, 0, draws_++) >> 32U;
  const int start = among.first + static_cast<int>(bits * count >> 32U);
  if (with_.up == up_choice::random) return start;
  int best = start;
  std::uint32_t least = UINT32_MAX;
  for (int i = 0, port = start; i < among.count; ++i) {
    const std::uint32_t waiting = claimed_[first_link + static_cast<std::uint32_t>(port)];
    if (waiting < least) {
      least = waiting;
      best = port;
      if (waiting == 0) break;
    }
    if (++port == among.first + among.count) port = among.first;
  }
  return best;
}

/// At its first switch a packet takes the straight way or its second one, by the packets that wait
/// for the links that they begin with.
void packet_network::choose_way(packet& of, const link& came) {
  const int at = came.to_switch;
  const int port = static_cast<int>(came.to);
  if (in_.end(at, port).is != model::port_end::kind::node) return;
  const model::bound straight{.to = of.goal.to};
  const model::second_way second = in_.second(of.goal);
  const auto waiting = [&](model::bound goal) {
    const int out = in_.next(at, port, 0, goal).preferred;
    return claimed_[first_link(at) + static_cast<std::uint32_t>(out)];
  };
  const auto times = static_cast<std::uint32_t>(second.times);
  of.goal = waiting(straight) <= times * waiting(second.goal) ? straight : second.goal;
}

/// The lane that a packet waits for next, claimed.
std::uint32_t packet_network::route(packet& of) {
  const link& came = links_[link_of(of.held)];
  const std::uint32_t first = first_link(came.to_switch);
  if (in_.has_second_ways()) choose_way(of, came);
  const std::uint32_t lane_mask = (1U << lane_bits_) - 1;
  const model::hop next = in_.next(came.to_switch, static_cast<int>(came.to),
                                   static_cast<int>(of.held & lane_mask), of.goal);
  const std::uint32_t out = first + static_cast<std::uint32_t>(choose(first, next));
  ++claimed_[out];
  return (out << lane_bits_) + static_cast<std::uint32_t>(next.lane);
}

void packet_network::reach_output(std::uint32_t packet_id) {
  packet& p = packets_[packet_id];
  if (p.kind != packet_kind::single) {
    if (p.kind != packet_kind::multicast) return combines_->reach(packet_id);
    const link& came = links_[link_of(p.held)];
    return spread(packet_id, came.to_switch, static_cast<int>(came.to));
  }
  const std::uint32_t out_lane = route(p);
  --lanes_[p.held].under_way;
  occupy(p.held, link_of(out_lane) - first_link(links_[link_of(p.held)].to_switch));
  enqueue(out_lane, packet_id);
}

void packet_network::enqueue(std::uint32_t out_lane, std::uint32_t packet_id) {
  append(lanes_[out_lane].waiting, packet_id);
  const std::uint32_t which = link_of(out_lane);
  ++links_[which].queued;
  serve(which);
}

/// A packet of the input has come to an output.
void packet_network::occupy(std::uint32_t in_lane, std::uint32_t port) {
  lane& at = lanes_[in_lane];
  if (occupied_.empty()) return;
  const std::uint8_t packets = ++occupied_[std::size_t{in_lane} * crosspoints_ + port];
  at.fullest = std::max<std::uint32_t>(at.fullest, packets);
}

bool packet_network::has_room(std::uint32_t in_lane) {
  collect_returns(in_lane);
  const lane& at = lanes_[in_lane];
  const std::uint32_t used = occupied_.empty() ? at.held : at.fullest + at.under_way;
  return used < static_cast<std::uint32_t>(with_.buffers);
}

/// A packet has left the input for good; the sender learns it a channel's delay later.
void packet_network::give_back(std::uint32_t in_lane, std::uint32_t port, bool last) {
  std::uint32_t fresh = free_return_;
  if (fresh == none) {
    fresh = static_cast<std::uint32_t>(returns_.size());
    returns_.emplace_back();
  } else {
    free_return_ = returns_[fresh].next;
  }
  const std::int64_t at_ps = now_ps_ + with_.channel_delay.ps();
  returns_[fresh] = {at_ps, none, port, last};
  lane& at = lanes_[in_lane];
  (at.returns == none ? at.returns : returns_[at.last_return].next) = fresh;
  at.last_return = fresh;
  if (at.stalled) {
    at.stalled = false;
    wake(link_of(in_lane), at_ps);
  }
}

void packet_network::collect_returns(std::uint32_t in_lane) {
  lane& at = lanes_[in_lane];
  while (at.returns != none && returns_[at.returns].at_ps <= now_ps_) {
    const std::uint32_t first = at.returns;
    if (returns_[first].last) --at.held;
    if (!occupied_.empty()) {
      std::uint8_t* const inputs = &occupied_[std::size_t{in_lane} * crosspoints_];
      if (inputs[returns_[first].port]-- == at.fullest) {
        at.fullest = *std::max_element(inputs, inputs + crosspoints_);
      }
    }
    at.returns = returns_[first].next;
    returns_[first].next = free_return_;
    free_return_ = first;
  }
}

void packet_network::wait_for_credit(std::uint32_t in_lane) {
  lane& at = lanes_[in_lane];
  if (at.returns != none) return wake(link_of(in_lane), returns_[at.returns].at_ps);
  at.stalled = true;
}

}  // namespace upwash::simulator
