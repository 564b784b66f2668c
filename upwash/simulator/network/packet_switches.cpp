// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The order of events, NICs, links, output-queued switches, routes, and credits (Kumar 2005,
// section 8.1): a packet goes to its output at once, where room is reserved for its input; its
// credit goes back when it leaves. In one file, so that compilers put together what every hop
// passes through.
#include <algorithm>

#include "upwash/simulator/network/detail/combine_units.hpp"
#include "upwash/simulator/network/detail/input_queues.hpp"
#include "upwash/simulator/network/detail/slot_arbiter.hpp"
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

// Credits.

/// A packet of the input has come to an output.
void packet_network::occupy(std::uint32_t in_lane, std::uint32_t port) {
  if (occupied_.empty()) return;
  lane& at = lanes_[in_lane];
  const std::uint8_t packets = ++occupied_[std::size_t{in_lane} * crosspoints_ + port];
  std::uint16_t* const as_full = &as_full_[std::size_t{in_lane} * room_];
  ++as_full[packets - 1];
  if (packets > 1) --as_full[packets - 2];
  at.fullest = std::max(at.fullest, packets);
}

[[gnu::noinline]] void packet_network::more_returns() {
  free_return_ = static_cast<std::uint32_t>(returns_.size());
  returns_.push_back({0, none, 0, 0});
}

/// A packet has left the input for good; the sender learns it a channel's delay later.
void packet_network::give_back(std::uint32_t in_lane, std::uint32_t port, bool last) {
  if (free_return_ == none) [[unlikely]]
    more_returns();
  const std::uint32_t fresh = free_return_;
  free_return_ = returns_[fresh].next;
  const std::int64_t at_ps = now_ps_ + with_.channel_delay.ps();
  returns_[fresh] = {at_ps, none, port & 0x7fffffffU, last ? 1U : 0U};
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
    credit_return& back = returns_[first];
    at.held -= back.last;
    if (!occupied_.empty()) {
      const std::uint8_t packets = occupied_[std::size_t{in_lane} * crosspoints_ + back.port]--;
      std::uint16_t* const as_full = &as_full_[std::size_t{in_lane} * room_];
      if (packets > 1) ++as_full[packets - 2];
      if (--as_full[packets - 1] == 0 && packets == at.fullest) --at.fullest;
    }
    at.returns = back.next;
    back.next = free_return_;
    free_return_ = first;
  }
}

bool packet_network::has_room(std::uint32_t in_lane) {
  collect_returns(in_lane);
  const lane& at = lanes_[in_lane];
  const std::uint32_t used = occupied_.empty() ? at.held : std::uint32_t{at.fullest} + at.under_way;
  return used < room_;
}

void packet_network::wait_for_credit(std::uint32_t in_lane) {
  lane& at = lanes_[in_lane];
  if (at.returns != none) return wake(link_of(in_lane), returns_[at.returns].at_ps);
  at.stalled = true;
}

/// A packet leaves its input by this link: its credit, or its part of one, goes back.
void packet_network::leave_input(const packet& p, std::uint32_t which) {
  if (p.share != none) [[unlikely]]
    return leave_shared(p.share);
  if (p.held == none) return;  // made in this switch
  give_back(p.held, which - lanes_[p.held].outputs, true);
}

// Links.

/// Whether the link is to be served then; not where it will be before.
bool packet_network::wakes_at(std::uint32_t which, std::int64_t at_ps) noexcept {
  std::int64_t& wake_ps = links_[which].wake_ps;
  if (wake_ps >= 0 && wake_ps <= at_ps) return false;
  wake_ps = at_ps;
  return true;
}

void packet_network::wake(std::uint32_t which, std::int64_t at_ps) {
  if (wakes_at(which, at_ps)) schedule(at_ps, happening::wake, which, 0);
}

/// The link was to be served now, and an earlier time has not taken the place of this one.
bool packet_network::wakes_now(std::uint32_t which) noexcept {
  link& at = links_[which];
  if (at.wake_ps != now_ps_) return false;
  at.wake_ps = -1;
  return true;
}

/// The next lane in turn that has a packet and a credit; `none`: all wait.
std::uint32_t packet_network::lane_that_can_send(std::uint32_t which) {
  if (lane_bits_ == 0) {
    if (links_[which].to_switch < 0 || has_room(which)) return which;
    wait_for_credit(which);
    return none;
  }
  const std::uint32_t first = which << lane_bits_;
  const std::uint32_t lanes = 1U << lane_bits_;
  for (std::uint32_t i = 1; i <= lanes; ++i) {
    const std::uint32_t each = first + ((links_[which].turn + i) & (lanes - 1));
    if (lanes_[each].waiting.size == 0) continue;
    if (links_[which].to_switch < 0 || has_room(each)) return each;
    wait_for_credit(each);
  }
  return none;
}

void packet_network::serve(std::uint32_t which) {
  link& at = links_[which];
  if (at.queued == 0) return;
  if (at.free_ps > now_ps_) {
    (void)wakes_at(which, at.free_ps);
    return;
  }
  const std::uint32_t on_lane = lane_that_can_send(which);
  if (on_lane == none) return;
  const std::uint32_t packet_id = take_first(lanes_[on_lane].waiting);
  at.turn = on_lane & ((1U << lane_bits_) - 1);
  --at.queued;
  --claimed_[which];
  if (inputs_) {
    inputs_->output_left(on_lane);
  } else if (slots_) {
    slots_->output_left(on_lane);
  } else {
    leave_input(packets_[packet_id], which);
  }
  put_on_link(which, on_lane, packet_id);
  // There is always an event then: it costs less than one out of its line when a packet comes.
  events_queue_.push_behind(line_of_free, made(at.free_ps, happening::wake, which, 0));
  if (at.queued > 0) (void)wakes_at(which, at.free_ps);
}

void packet_network::put_on_link(std::uint32_t which, std::uint32_t on_lane,
                                 std::uint32_t packet_id) {
  link& at = links_[which];
  packet& p = packets_[packet_id];
  at.free_ps = now_ps_ + time_of(p.bytes);
  ++carried_[which];
  ++hops_;
  digest_ = (digest_ ^ static_cast<std::uint64_t>(now_ps_) ^ which) * 0x9e3779b97f4a7c15U;
  ++p.hops;
  p.held = on_lane;
  if (at.to_switch >= 0) {
    if (p.hops > most_hops_) [[unlikely]]
      in_circles(p);
    lane& next = lanes_[on_lane];
    ++next.held;
    ++next.under_way;
    events_queue_.push_behind(line_of_reached,
                              made(now_ps_ + to_output_ps_, happening::reached, which, packet_id));
    return;
  }
  if (with_.one_budget) {  // the NIC takes it in when it is free, and then holds up the link
    nic& taking = nics_[at.to];
    taking.budget_ps = std::max(taking.budget_ps, now_ps_) + with_.nic_ps_per_byte * p.bytes / 2;
    at.free_ps = std::max(at.free_ps, taking.budget_ps);
  }
  if (with_.packets_in_flight > 0 && p.kind == packet_kind::single) acknowledge(p);
  if (follows_time_) {
    schedule(at.free_ps + to_node_ps_, happening::delivered, which, packet_id);
  } else {
    deliver(which, packet_id, at.free_ps + to_node_ps_);
  }
}

// Switches.

/// Adaptive: the port with the fewest packets waiting, of equal ones the first after a random one.
int packet_network::choose(std::uint32_t first_link, const model::hop& among) {
  if (among.count == 1) return among.first;
  const auto count = static_cast<std::uint64_t>(among.count);
  const std::uint64_t bits = draws_.next() >> 32U;
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
  const std::uint32_t first = lanes_[of.held].outputs;
  const int port = static_cast<int>(came.to);
  model::hop next;
  if (tree_ != nullptr) {
    next = tree_->next(came.to_switch, port, 0, of.goal);
  } else {
    if (in_.has_second_ways()) choose_way(of, came);
    const std::uint32_t lane_mask = (1U << lane_bits_) - 1;
    next = in_.next(came.to_switch, port, static_cast<int>(of.held & lane_mask), of.goal);
  }
  const std::uint32_t out = first + static_cast<std::uint32_t>(choose(first, next));
  ++claimed_[out];
  return (out << lane_bits_) + static_cast<std::uint32_t>(next.lane);
}

void packet_network::enqueue(std::uint32_t out_lane, std::uint32_t packet_id) {
  append(lanes_[out_lane].waiting, packet_id);
  const std::uint32_t which = link_of(out_lane);
  ++links_[which].queued;
  serve(which);
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
  occupy(p.held, link_of(out_lane) - lanes_[p.held].outputs);
  enqueue(out_lane, packet_id);
}

// Events.

bool packet_network::begin(const event_queue::event& next, std::int64_t until_ps) {
  if (next.at_ps > until_ps) return false;
  if (next.at_ps >= next_look_ps_) [[unlikely]]
    look_for_starved(next.at_ps);
  now_ps_ = next.at_ps;
  ++events_;
  return true;
}

/// One function to compilers: calls would be a third of what a hop takes.
[[gnu::flatten]] void packet_network::run(duration until) {
  stopped_ = false;
  follows_time_ = from_.follows_time();
  const std::int64_t until_ps = std::min(until.ps(), INT64_MAX - 1);
  const bool output_queued = !inputs_ && !slots_;
  while (!stopped_) {
    const unsigned where = events_queue_.earliest();
    const event_queue::event next = events_queue_.first_of(where);
    if (!begin(next, until_ps)) break;
    if (where == line_of_free) {
      events_queue_.take(line_of_free);
      if (wakes_now(next.key() / 8)) serve(next.key() / 8);
    } else if (where == line_of_reached && output_queued) {
      events_queue_.take(line_of_reached);
      reach_output(next.value());
    } else {
      events_queue_.take(where);
      handle(next);
    }
  }
  if (stopped_) return;
  if (events_queue_.empty() && live_ > 0) nothing_moves();
  if (until != duration::max()) now_ps_ = std::max(now_ps_, until.ps());
}

void packet_network::drain() { run(duration::max()); }

[[gnu::noinline]] void packet_network::handle(const event_queue::event& what) {
  const std::uint32_t which = what.key() / 8;
  switch (static_cast<happening>(what.key() % 8)) {
    case happening::reached:
      if (inputs_) return inputs_->reach(what.value());
      if (slots_) return slots_->reach(what.value());
      return reach_output(what.value());
    case happening::wake:
      if (!wakes_now(which)) return;
      return which < nics_.size() ? serve_node(which) : serve(which);
    case happening::delivered: return deliver(which, what.value(), now_ps_);
    case happening::crossbar:
      return slots_ ? slots_->match(static_cast<int>(what.value())) : inputs_->turn(what.value());
    case happening::combined: return combines_->combined(what.value());
    case happening::joined: return combines_->joined(what.value());
    case happening::acknowledged: --nics_[which].in_flight; return serve_node(which);
  }
}

}  // namespace upwash::simulator
