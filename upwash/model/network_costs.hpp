// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a network of switches costs: delays, rates, combine units, fitted to a machine; and in
// closed form the collectives that its switches carry out. The defaults are Kumar 2005, table 8.1.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/model/topology_fat_tree.hpp"

namespace upwash::model {

struct network_costs {
  std::int64_t ps_per_byte = 800;  ///< of a link: 10 Gbit/s
  std::uint32_t packet_bytes = 256;
  duration channel_delay = duration::from_ns(20);
  duration switch_delay = duration::from_ns(90);
  duration send_overhead = duration::from_ns(1300);  ///< of the NIC; packets follow each other
  duration receive_overhead = duration::from_ns(1300);
  std::int64_t nic_ps_per_byte = 0;  ///< how fast it reads packets, where slower than the link
  /// What a NIC sends and what it gets share its rate (half of nic_ps_per_byte each), and wait for
  /// each other's gaps.
  bool one_budget = false;
  duration message_gap;  ///< from a message's last byte to the next one's first (LogGP's g)
  // Combine units (Kumar 2005, section 8.1.2): short packets pass in a cycle each, others stall
  // them.
  int combine_units = 1;  ///< of a switch; several form a tree: one is the root, the others leaves
  duration combine_cycle = duration::from_ns(4);  ///< 250 MHz
  std::uint32_t combine_bytes_per_cycle = 4;
  std::uint32_t combine_short_bytes = 64;

  /// How long a packet keeps a combine unit busy.
  [[nodiscard]] duration combine_time(std::uint32_t bytes) const noexcept {
    const bool is_short = bytes <= combine_short_bytes;
    return combine_cycle *
           (is_short ? 1 : (bytes + combine_bytes_per_cycle - 1) / combine_bytes_per_cycle);
  }
  [[nodiscard]] duration packet_time() const noexcept {
    return duration::from_ps(ps_per_byte * packet_bytes);
  }
};

/// Fitted to a machine, so that a message alone takes what its outermost level says: bytes as the
/// NIC reads memory (with `nic_memory` its own), gaps, latency. What a mean way through `in` with
/// the delays of `given` leaves of the latency is the NICs'; where it leaves nothing the delays are
/// shortened. Throws `error` (configuration) for a machine without costs of messages, or without
/// NIC memory where that is asked for.
[[nodiscard]] network_costs fitted(network_costs given, const machine& on, const topology& in,
                                   bool nic_memory = false);

/// A collective that the network carries out.
enum class network_collective : std::uint8_t {
  broadcast,   ///< from the root to all others
  reduce,      ///< from all others to the root
  all_reduce,  ///< combined up to the top of the tree and spread from there
  barrier,     ///< an all-reduce without data: 16 bytes a packet
};
/// A message without data is a packet of so many bytes.
inline constexpr std::uint64_t least_packet_bytes = 16;

/// From the hand-over to the NICs, all at once, until the last one has its result; nodes 0 ..
/// members - 1, the root of a reduction is node 0, nothing else in the network. Sums the delays of
/// the way up and down the tree, packets whole at each switch that combines, and for every further
/// packet what the slowest combine unit, or a link, needs (Kumar 2005, section 8.1). On full trees
/// within 4 % of the packets' simulation, 12 % on others. O(levels squared).
[[nodiscard]] duration collective_time(network_collective what, std::uint64_t bytes,
                                       const fat_tree& on, int members, const network_costs& with);

/// Whether the machine's switches carry out collectives: a fat tree, one rank a node, packets not
/// acknowledged one by one.
[[nodiscard]] bool has_network_collectives(const machine& on);

}  // namespace upwash::model
