// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The costs of a network of switches: delays, rates, combine units, fitted to a machine; and, in
// closed form, the times of collectives in its switches. The defaults are Kumar 2005, table 8.1.
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
  duration send_overhead = duration::from_ns(1300);  ///< of the NIC; packets are pipelined
  duration receive_overhead = duration::from_ns(1300);
  std::int64_t nic_ps_per_byte = 0;  ///< rate of reading packets, if slower than the link
  /// The NIC's two directions share its rate (half of nic_ps_per_byte each), and wait for each
  /// other's gaps.
  bool one_budget = false;
  duration message_gap;  ///< from a message's last byte to the next one's first (LogGP's g)
  // Combine units (Kumar 2005, section 8.1.2): a short packet takes one cycle; longer ones stall
  // the unit.
  int combine_units = 1;  ///< of a switch; several form a tree with one as root and the others as
                          ///< leaves
  duration combine_cycle = duration::from_ns(4);  ///< 250 MHz
  std::uint32_t combine_bytes_per_cycle = 4;
  std::uint32_t combine_short_bytes = 64;

  /// Returns the time for which a packet keeps a combine unit busy.
  [[nodiscard]] duration combine_time(std::uint32_t bytes) const noexcept {
    const bool is_short = bytes <= combine_short_bytes;
    return combine_cycle *
           (is_short ? 1 : (bytes + combine_bytes_per_cycle - 1) / combine_bytes_per_cycle);
  }
  [[nodiscard]] duration packet_time() const noexcept {
    return duration::from_ps(ps_per_byte * packet_bytes);
  }
};

/// Returns costs fitted to a machine, so that a message alone takes the time of the machine's
/// outermost level. Fits the NIC's reading rate (with `nic_memory` that of its own memory), the
/// gaps and the latency. The NICs get the rest of the latency after a mean path through `in` with
/// the delays of `given`. If nothing remains, the delays are shortened. Throws `error`
/// (configuration) for a machine without message costs, or without NIC memory if that is asked for.
[[nodiscard]] network_costs fitted(network_costs given, const machine& on, const topology& in,
                                   bool nic_memory = false);

/// A collective that the network carries out.
enum class network_collective : std::uint8_t {
  broadcast,   ///< from the root to all others
  reduce,      ///< from all others to the root
  all_reduce,  ///< combined up to the top of the tree and spread from there
  barrier,     ///< an all-reduce without data: 16 bytes a packet
};
/// The packet bytes of a message without data.
inline constexpr std::uint64_t least_packet_bytes = 16;

/// Returns the time from the simultaneous hand-over to the NICs until the last one has its result.
/// The nodes are 0 to members - 1; the root of a reduction is node 0; there is no other traffic.
///
/// The time is the sum of the delays up and down the tree, with whole packets at each combining
/// switch, and for each further packet the time of the slowest combine unit or link (Kumar 2005,
/// section 8.1). On full trees it is within 4 % of the packet simulation, on others within 12 %.
/// O(levels squared).
[[nodiscard]] duration collective_time(network_collective what, std::uint64_t bytes,
                                       const fat_tree& on, int members, const network_costs& with);

/// Returns whether the machine's switches carry out collectives: a fat tree, one rank a node,
/// packets without individual acknowledgements.
[[nodiscard]] bool has_network_collectives(const machine& on);

}  // namespace upwash::model
