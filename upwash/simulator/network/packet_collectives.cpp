// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multicast in the switches (Kumar 2005, section 8.1.1): a packet goes to all its outputs at once,
// and its credit goes back when the last copy has left.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/simulator/network/packet_network.hpp"

namespace upwash::simulator {

std::int32_t packet_network::add_group(model::spanning_tree tree) {
  check_multicasts(with_);
  groups_.push_back(std::move(tree));
  return static_cast<std::int32_t>(groups_.size() - 1);
}

/// What the switch's table says of a group whose packet came in by a port, -1: was made here.
const model::spanning_tree::row& packet_network::row_of(std::int32_t group, int of_switch,
                                                        int came_by) const {
  const model::spanning_tree::row* row = groups_[static_cast<std::size_t>(group)].find(of_switch);
  if (row != nullptr &&
      (came_by < 0 || std::binary_search(row->ports.begin(), row->ports.end(), came_by))) {
    return *row;
  }
  throw error(error_kind::fault,
              fmt::format("network: switch {} has no entry for group {} and port {}", of_switch,
                          group, came_by));
}

/// Copies of the packet to all ports of its tree in this switch but one, -1: but none.
void packet_network::spread(std::uint32_t packet_id, int of_switch, int except_port) {
  const packet original = packets_[packet_id];
  free_packet(packet_id);
  const model::spanning_tree::row& row = row_of(original.group, of_switch, except_port);
  packet copy = original;
  if (original.held != none) {
    --lanes_[original.held].under_way;
    const auto others = static_cast<std::uint32_t>(row.ports.size() - 1);
    if (others == 0) {
      occupy(original.held, 0);
      return give_back(original.held, 0, true);
    }
    if (free_share_ == none) {
      copy.share = static_cast<std::uint32_t>(shares_.size());
      shares_.emplace_back();
    } else {
      copy.share = std::exchange(free_share_, shares_[free_share_].next);
    }
    shares_[copy.share] = {others, original.held, none, original.group};
    for (const int port : row.ports) {
      if (port != except_port) occupy(original.held, static_cast<std::uint32_t>(port));
    }
  }
  for (const int port : row.ports) {
    if (port == except_port) continue;
    const std::uint32_t which = first_link(of_switch) + static_cast<std::uint32_t>(port);
    ++claimed_[which];
    enqueue(which << lane_bits_, new_packet(copy));
  }
}

/// A copy of a multicast leaves its input: the last one takes the credit with it.
void packet_network::leave_shared(std::uint32_t share) {
  copies& all = shares_[share];
  if (--all.left > 0) return;
  const copies done = all;
  all.next = std::exchange(free_share_, share);
  leave_together(done, links_[link_of(done.in_lane)].to_switch);
}

void packet_network::leave_together(const copies& all, int of_switch) {
  const auto& ports = groups_[static_cast<std::size_t>(all.group)].find(of_switch)->ports;
  const auto came = static_cast<int>(links_[link_of(all.in_lane)].to);
  std::size_t left = ports.size() - 1;
  for (const int port : ports) {
    if (port != came) give_back(all.in_lane, static_cast<std::uint32_t>(port), --left == 0);
  }
}

}  // namespace upwash::simulator
