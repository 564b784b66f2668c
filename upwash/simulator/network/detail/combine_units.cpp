// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/detail/combine_units.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::simulator::detail {

combine_units::combine_units(packet_network& in)
    : in_(in),
      units_(static_cast<std::uint32_t>(in.with_.combine_units)),
      free_ps_(static_cast<std::size_t>(in.in_.switches()) * units_, 0) {}

const model::spanning_tree::row& combine_units::row_of(const packet_network::packet& p) const {
  const auto* row = in_.groups_[static_cast<std::size_t>(p.group)].find(static_cast<int>(p.out));
  if (row != nullptr) return *row;
  throw error(error_kind::fault,
              fmt::format("network: switch {} has no entry for group {}", p.out, p.group));
}

int combine_units::result_port(const packet_network::packet& p) const {
  const model::spanning_tree::row& row = row_of(p);
  if (p.kind == packet_kind::all_reduce) return row.up;
  model::bound goal = p.goal;
  const int down = in_.in_.next(static_cast<int>(p.out), row.ports.front(), 0, goal).preferred;
  const bool is_of_tree = std::binary_search(row.ports.begin(), row.ports.end(), down);
  return is_of_tree ? down : row.up;
}

std::uint32_t combine_units::leaf_of(std::uint32_t of_switch, int port) const {
  if (units_ == 1) return 0;
  const int ports = in_.in_.ports(static_cast<int>(of_switch));
  return static_cast<std::uint32_t>(port) * (units_ - 1) / static_cast<std::uint32_t>(ports);
}

/// The reduction that a packet belongs to, begun when it is the first.
combine_units::reduction& combine_units::open(const packet_network::packet& p) {
  reduction& at = open_[key(p)];
  if (!at.left_of_leaf.empty()) return at;
  at.left_of_leaf.assign(units_, 0);
  const int out = result_port(p);
  for (const int port : row_of(p).ports) {
    if (port != out && at.left_of_leaf[leaf_of(p.out, port)]++ == 0) ++at.leaves_left;
  }
  return at;
}

/// When the unit will have taken in a packet that is there at `ready_ps`.
std::int64_t combine_units::take_in(std::uint32_t of_switch, std::uint32_t unit,
                                    std::int64_t ready_ps, std::uint32_t bytes) {
  std::int64_t& free_ps = free_ps_[std::size_t{of_switch} * units_ + unit];
  free_ps = std::max(free_ps, ready_ps) + in_.with_.combine_time(bytes).ps();
  return free_ps;
}

void combine_units::reach(std::uint32_t packet_id) {
  packet_network::packet& p = in_.packets_[packet_id];
  const packet_network::link& came = in_.links_[in_.link_of(p.held)];
  p.out = static_cast<std::uint32_t>(came.to_switch);
  p.queue = leaf_of(p.out, static_cast<int>(came.to));
  const auto& ports = row_of(p).ports;
  if (!std::binary_search(ports.begin(), ports.end(), static_cast<int>(came.to)) ||
      open(p).left_of_leaf[p.queue] == 0) {
    throw error(error_kind::fault, fmt::format("network: switch {} expects no packet of group {} "
                                               "by port {}",
                                               p.out, p.group, came.to));
  }
  --in_.lanes_[p.held].under_way;
  in_.occupy(p.held, in_.most_ports_);
  const std::int64_t whole = in_.now_ps_ + in_.time_of(p.bytes);
  in_.schedule(take_in(p.out, p.queue, whole, p.bytes), packet_network::happening::combined,
               in_.link_of(p.held), packet_id);
}

void combine_units::combined(std::uint32_t packet_id) {
  packet_network::packet& p = in_.packets_[packet_id];
  in_.give_back(p.held, in_.most_ports_);
  p.held = packet_network::none;
  if (--open(p).left_of_leaf[p.queue] > 0) return in_.free_packet(packet_id);
  if (units_ == 1) return go_on(packet_id);
  p.queue = at_root;
  in_.schedule(take_in(p.out, units_ - 1, in_.now_ps_, p.bytes), packet_network::happening::joined,
               in_.first_link(static_cast<int>(p.out)), packet_id);
}

void combine_units::joined(std::uint32_t packet_id) {
  packet_network::packet& p = in_.packets_[packet_id];
  if (p.queue == leaving) return leave(packet_id);
  if (--open(p).leaves_left > 0) return in_.free_packet(packet_id);
  go_on(packet_id);
}

/// The result passes the crossbar again.
void combine_units::go_on(std::uint32_t packet_id) {
  packet_network::packet& p = in_.packets_[packet_id];
  open_.erase(key(p));
  p.queue = leaving;
  in_.schedule(in_.now_ps_ + in_.with_.switch_delay.ps(), packet_network::happening::joined,
               in_.first_link(static_cast<int>(p.out)), packet_id);
}

void combine_units::leave(std::uint32_t packet_id) {
  packet_network::packet& p = in_.packets_[packet_id];
  const int port = result_port(p);
  const auto of_switch = static_cast<int>(p.out);
  if (port < 0) {
    p.kind = packet_kind::multicast;
    return in_.spread(packet_id, of_switch, -1);
  }
  const std::uint32_t which = in_.first_link(of_switch) + static_cast<std::uint32_t>(port);
  ++in_.claimed_[which];
  in_.enqueue(which << in_.lane_bits_, packet_id);
}

}  // namespace upwash::simulator::detail
