// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What NICs do: packets from the source to the network, and from the network to the source.
#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {

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
  while (send_from_node(which)) {
  }
}

/// The next one waits for the link, for its time, for an acknowledgement or for a credit: false.
bool packet_network::send_from_node(std::uint32_t which) {
  nic& of = nics_[which];
  if (!of.has_next && !(of.has_next = from_.next(static_cast<int>(which), now_ps_, of.next))) {
    return false;
  }
  const offered_packet& p = of.next;
  const std::int64_t nic_ready = std::max(of.free_ps, of.budget_ps);
  const std::int64_t ready = std::max(std::max(links_[which].free_ps, nic_ready), p.ready_ps);
  const bool acknowledged = with_.packets_in_flight > 0 && p.kind == packet_kind::single;
  const std::uint32_t on_lane = which << lane_bits_;
  if (ready > now_ps_) {
    wake(which, ready);
    return false;
  }
  if (acknowledged && of.in_flight >= with_.packets_in_flight) return false;
  if (!has_room(on_lane)) {
    wait_for_credit(on_lane);
    return false;
  }
  of.has_next = false;
  of.free_ps = now_ps_ + with_.nic_ps_per_byte * p.bytes;
  if (with_.one_budget) of.budget_ps = now_ps_ + with_.nic_ps_per_byte * p.bytes / 2;
  of.in_flight += acknowledged ? 1 : 0;
  ++sent_;
  put_on_link(which, on_lane,
              new_packet({p.goal, p.bytes, p.born_ps, none, none, 0, p.tag, none, 0, none, p.group,
                          which, p.kind}));
  return true;
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

}  // namespace upwash::simulator
