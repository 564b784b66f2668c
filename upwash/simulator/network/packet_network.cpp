// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the network, the order of events, links and NICs. What happens in switches and to
// credits is in packet_switches.cpp.
#include "upwash/simulator/network/packet_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "upwash/base/error.hpp"
#include "upwash/simulator/network/detail/combine_units.hpp"
#include "upwash/simulator/network/detail/input_queues.hpp"
#include "upwash/simulator/network/detail/slot_arbiter.hpp"

namespace upwash::simulator {
namespace {

/// Events are apart about so much when every link is busy.
std::int64_t apart(const model::topology& in, const network_parameters& with) {
  std::int64_t ports = in.nodes();
  for (int s = 0; s < in.switches(); ++s) ports += in.ports(s);
  return std::max<std::int64_t>(with.packet_time().ps() / std::max<std::int64_t>(ports, 1), 16);
}

}  // namespace

packet_network::packet_network(const model::topology& in, const network_parameters& with,
                               traffic_source& from, std::uint64_t seed)
    : in_(in),
      with_((check(with), with)),
      from_(from),
      seed_(seed),
      lane_bits_(static_cast<unsigned>(std::bit_width(static_cast<unsigned>(in.lanes()) - 1))),
      to_output_ps_((with.channel_delay + with.switch_delay).ps()),
      to_node_ps_((with.channel_delay + with.receive_overhead).ps()),
      events_queue_(apart(in, with), 4 * with.packet_time().ps() + 2 * to_output_ps_) {
  build_links();
  const std::int64_t usual_ps = with.packet_time().ps() * (10'000 + 16 * std::int64_t{in.nodes()});
  patience_ps_ = with.patience == duration() ? usual_ps : with.patience.ps();
  next_look_ps_ = patience_ps_;
  most_hops_ = 2 * static_cast<std::uint32_t>(in.switches()) + 2;
  if (with.design == switch_design::input_queued && with.arbiter_rounds > 0) {
    slots_ = std::make_unique<detail::slot_arbiter>(*this);
  } else if (with.design == switch_design::input_queued) {
    inputs_ = std::make_unique<detail::input_queues>(*this);
  } else {
    combines_ = std::make_unique<detail::combine_units>(*this);
  }
}

packet_network::~packet_network() = default;

void packet_network::build_links() {
  const auto nodes = static_cast<std::uint32_t>(in_.nodes());
  std::uint64_t count = nodes;
  for (int s = 0; s < in_.switches(); ++s) {
    first_links_.push_back(static_cast<std::uint32_t>(count));
    most_ports_ = std::max(most_ports_, static_cast<std::uint32_t>(in_.ports(s)));
    count += static_cast<std::uint64_t>(in_.ports(s));
  }
  if ((count << lane_bits_) >= (1U << 28U)) {
    throw error(error_kind::argument, fmt::format("network: {} links are too many", count));
  }
  links_.resize(count);
  claimed_.assign(count, 0);
  lanes_.resize(count << lane_bits_);
  nics_.resize(nodes);
  const auto lead_to = [&](std::size_t which, const model::port_end& end) {
    if (end.is == model::port_end::kind::nothing) return;
    const bool to_switch = end.is == model::port_end::kind::port;
    links_[which].to_switch = to_switch ? end.index : -1;
    links_[which].to = static_cast<std::uint32_t>(to_switch ? end.port : end.index);
  };
  for (std::uint32_t node = 0; node < nodes; ++node) {
    lead_to(node, in_.attachment(static_cast<int>(node)));
    wake(node, 0);
  }
  for (int s = 0; s < in_.switches(); ++s) {
    for (int port = 0; port < in_.ports(s); ++port) {
      lead_to(first_link(s) + static_cast<std::size_t>(port), in_.end(s, port));
    }
  }
  if (with_.credits == flow_control::crosspoint && with_.design == switch_design::output_queued) {
    crosspoints_ = most_ports_ + 1;
    occupied_.assign(lanes_.size() * crosspoints_, 0);
  }
}

void packet_network::run(duration until) {
  event_queue::event next;
  stopped_ = false;
  while (!stopped_ && events_queue_.pop(until.ps(), next)) {
    if (next.at_ps >= next_look_ps_) look_for_starved(next.at_ps);
    now_ps_ = next.at_ps;
    ++events_;
    digest_ = (digest_ ^ static_cast<std::uint64_t>(next.at_ps) ^ next.key) * 0x9e3779b97f4a7c15U;
    digest_ ^= digest_ >> 29U;
    handle(next);
  }
  if (stopped_) return;
  if (events_queue_.empty() && live_ > 0) nothing_moves();
  if (until != duration::max()) now_ps_ = std::max(now_ps_, until.ps());
}

void packet_network::drain() { run(duration::max()); }

void packet_network::handle(const event_queue::event& what) {
  const std::uint32_t which = what.key / 8;
  switch (static_cast<happening>(what.key % 8)) {
    case happening::reached:
      if (inputs_) return inputs_->reach(what.value);
      if (slots_) return slots_->reach(what.value);
      return reach_output(what.value);
    case happening::wake:
      if (links_[which].wake_ps != what.at_ps) return;  // an earlier one took its place
      links_[which].wake_ps = -1;
      if (which < nics_.size()) return serve_node(which);
      return serve(which);
    case happening::delivered: return deliver(which, what.value, now_ps_);
    case happening::crossbar:
      return slots_ ? slots_->match(static_cast<int>(what.value)) : inputs_->turn(what.value);
    case happening::combined: return combines_->combined(what.value);
    case happening::joined: return combines_->joined(what.value);
    case happening::acknowledged: --nics_[which].in_flight; return serve_node(which);
  }
}

void packet_network::wake(std::uint32_t which, std::int64_t at_ps) {
  link& at = links_[which];
  if (at.wake_ps >= 0 && at.wake_ps <= at_ps) return;
  at.wake_ps = at_ps;
  schedule(at_ps, happening::wake, which, 0);
}

void packet_network::hold(int node, duration time) {
  nic& of = nics_[static_cast<std::size_t>(node)];
  of.budget_ps = std::max(of.budget_ps, now_ps_) + time.ps();
}

void packet_network::has_packets(int node) {
  if (!nics_[static_cast<std::size_t>(node)].has_next) {
    serve_node(static_cast<std::uint32_t>(node));
  }
}

void packet_network::serve_node(std::uint32_t which) {
  nic& of = nics_[which];
  const int node = static_cast<int>(which);
  if (!of.has_next && !(of.has_next = from_.next(node, now_ps_, of.next))) return;
  const std::int64_t ready =
      std::max({links_[which].free_ps, of.free_ps, of.budget_ps, of.next.ready_ps});
  if (ready > now_ps_) return wake(which, ready);
  const bool acknowledged = with_.packets_in_flight > 0 && of.next.kind == packet_kind::single;
  if (acknowledged && of.in_flight >= with_.packets_in_flight) return;
  const std::uint32_t on_lane = which << lane_bits_;
  if (!has_room(on_lane)) return wait_for_credit(on_lane);
  of.has_next = false;
  of.free_ps = now_ps_ + with_.nic_ps_per_byte * of.next.bytes;
  if (with_.one_budget) of.budget_ps = now_ps_ + with_.nic_ps_per_byte * of.next.bytes / 2;
  of.in_flight += acknowledged ? 1 : 0;
  ++sent_;
  const offered_packet& p = of.next;
  put_on_link(which, on_lane,
              new_packet({p.goal, p.born_ps, p.bytes, none, none, 0, p.tag, none, 0, none, p.group,
                          p.kind, which}));
  serve_node(which);  // the next one waits for the link, or for its time
}

/// The next lane in turn that has a packet and a credit; `none`: all wait.
std::uint32_t packet_network::lane_that_can_send(std::uint32_t which) {
  const std::uint32_t first = which << lane_bits_;
  const std::uint32_t lanes = 1U << lane_bits_;
  for (std::uint32_t i = 1; i <= lanes; ++i) {
    const std::uint32_t each = first + (links_[which].turn + i) % lanes;
    if (lanes_[each].waiting.size == 0) continue;
    if (links_[which].to_switch < 0 || has_room(each)) return each;
    wait_for_credit(each);
  }
  return none;
}

void packet_network::serve(std::uint32_t which) {
  link& at = links_[which];
  if (at.queued == 0) return;
  if (at.free_ps > now_ps_) return wake(which, at.free_ps);
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
  if (at.queued > 0) wake(which, at.free_ps);
}

void packet_network::put_on_link(std::uint32_t which, std::uint32_t on_lane,
                                 std::uint32_t packet_id) {
  link& at = links_[which];
  packet& p = packets_[packet_id];
  at.free_ps = now_ps_ + time_of(p.bytes);
  ++at.carried;
  ++hops_;
  ++p.hops;
  p.held = on_lane;
  if (at.to_switch >= 0) {
    if (p.hops > most_hops_) [[unlikely]]
      in_circles(p);
    lane& next = lanes_[on_lane];
    ++next.held;
    ++next.under_way;
    schedule(now_ps_ + to_output_ps_, happening::reached, which, packet_id);
    return;
  }
  if (with_.one_budget) {  // the NIC takes it in when it is free, and then holds up the link
    nic& taking = nics_[at.to];
    taking.budget_ps = std::max(taking.budget_ps, now_ps_) + with_.nic_ps_per_byte * p.bytes / 2;
    at.free_ps = std::max(at.free_ps, taking.budget_ps);
  }
  if (with_.packets_in_flight > 0 && p.kind == packet_kind::single) acknowledge(p);
  if (from_.follows_time()) {
    schedule(at.free_ps + to_node_ps_, happening::delivered, which, packet_id);
  } else {
    deliver(which, packet_id, at.free_ps + to_node_ps_);
  }
}

/// The head comes to the node now and a channel's delay later; the answer goes the same way back.
void packet_network::acknowledge(const packet& p) {
  const std::int64_t links = p.hops;
  const std::int64_t way = (links + 1) * with_.channel_delay.ps() +
                           (links - 1) * with_.switch_delay.ps() + with_.acknowledge_time.ps();
  schedule(now_ps_ + way, happening::acknowledged, p.from, p.tag);
}

void packet_network::deliver(std::uint32_t which, std::uint32_t packet_id, std::int64_t at_ps) {
  const packet& p = packets_[packet_id];
  const arrived_packet what{static_cast<int>(p.from),
                            static_cast<int>(links_[which].to),
                            p.bytes,
                            p.born_ps,
                            at_ps,
                            p.hops - 1,
                            p.tag};
  const int meant_for = p.kind == packet_kind::single ? p.goal.to : what.to;
  free_packet(packet_id);
  ++arrived_;
  if (what.to != meant_for) {
    throw error(error_kind::fault,
                fmt::format("network: a packet for node {} came to node {}", meant_for, what.to));
  }
  from_.arrived(what);
}

std::vector<std::uint64_t> packet_network::carried() const {
  std::vector<std::uint64_t> result;
  result.reserve(links_.size());
  for (const link& each : links_) result.push_back(each.carried);
  return result;
}

void packet_network::nothing_moves() const {
  const auto stuck =
      std::find_if(claimed_.begin(), claimed_.end(), [](auto waiting) { return waiting > 0; });
  throw error(error_kind::fault,
              fmt::format("network {}: {} packets wait for each other at {} ns and nothing moves; "
                          "the first ones wait for link {}",
                          in_.name(), live_, static_cast<double>(now_ps_) * 1e-3,
                          stuck - claimed_.begin()));
}

/// A link that packets wait for, and that has carried none since the last look.
void packet_network::look_for_starved(std::int64_t now_ps) {
  constexpr std::uint64_t nobody_waits = UINT64_MAX;
  carried_at_look_.resize(links_.size(), nobody_waits);
  for (std::size_t which = nics_.size(); which < links_.size(); ++which) {
    const std::uint64_t carried = claimed_[which] > 0 ? links_[which].carried : nobody_waits;
    if (carried != nobody_waits && carried == carried_at_look_[which]) {
      throw error(
          error_kind::fault,
          fmt::format("network {}: link {}, for which {} packets wait, has carried nothing "
                      "for {} ns, up to {} ns, while others move",
                      in_.name(), which, claimed_[which], static_cast<double>(patience_ps_) * 1e-3,
                      static_cast<double>(now_ps) * 1e-3));
    }
    carried_at_look_[which] = carried;
  }
  next_look_ps_ = now_ps + patience_ps_;
}

void packet_network::in_circles(const packet& p) const {
  throw error(error_kind::fault,
              fmt::format("network {}: a packet from node {} to node {} has passed {} links and is "
                          "not there; its routing goes in circles",
                          in_.name(), p.from, p.goal.to, p.hops));
}

void packet_network::check_at_rest() {
  const auto wrong = [&](const std::string& what) {
    throw error(error_kind::fault, fmt::format("network {}: {}", in_.name(), what));
  };
  if (live_ != 0) wrong(fmt::format("{} packets are under way", live_));
  if (groups_.empty() && sent_ != arrived_) {
    wrong(fmt::format("{} packets sent, {} arrived", sent_, arrived_));
  }
  if (combines_ && !combines_->at_rest()) wrong("reductions wait for packets");
  now_ps_ += with_.channel_delay.ps();  // the last credits are on their way
  for (std::uint32_t each = 0; each < lanes_.size(); ++each) {
    collect_returns(each);
    const lane& at = lanes_[each];
    if (at.held != 0 || at.under_way != 0 || at.fullest != 0 || at.waiting.size != 0) {
      wrong(
          fmt::format("lane {} has {} credits out, {} packets under way, {} at a crosspoint, {} "
                      "waiting",
                      each, at.held, at.under_way, at.fullest, at.waiting.size));
    }
  }
}

}  // namespace upwash::simulator
