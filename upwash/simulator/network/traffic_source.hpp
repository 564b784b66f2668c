// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of a packet network: gives each NIC its next packet, and receives arrived packets.
#pragma once

#include <cstdint>

#include "upwash/model/topology.hpp"

namespace upwash::simulator {

/// The treatment of a packet by the switches.
enum class packet_kind : std::uint8_t {
  single,      ///< to one node
  multicast,   ///< to all others of its group
  reduce,      ///< combined with those of the other members of its group, for the member that sends
               ///< none
  all_reduce,  ///< combined with those of all members of its group, for all of them
};

/// The next packet of a node.
struct offered_packet {
  model::bound goal;  ///< single
  std::uint32_t bytes = 0;
  std::int64_t born_ps = 0;   ///< start of the latency
  std::int64_t ready_ps = 0;  ///< time from which the NIC may put it on the link
  std::uint32_t tag = 0;  ///< the source's own; packets that are reduced together have equal tags
  packet_kind kind = packet_kind::single;
  std::int32_t group = -1;  ///< from `packet_network::add_group`
};

struct arrived_packet {
  int from = 0;  ///< node; for reductions one of the senders
  int to = 0;
  std::uint32_t bytes = 0;
  std::int64_t born_ps = 0;
  std::int64_t at_ps = 0;  ///< the NIC has handed it over
  std::uint32_t hops = 0;  ///< links between switches and to the node
  std::uint32_t tag = 0;
};

class traffic_source {
 public:
  virtual ~traffic_source() = default;

  /// Gives the node's next packet; returns false if there is none, until the network is told with
  /// `has_packets`. Called again when the last packet is on its way.
  virtual bool next(int node, std::int64_t now_ps, offered_packet& fresh) = 0;

  /// Reports a packet when its path is certain, before its arrival (`at_ps`), or exactly at its
  /// arrival if `follows_time`.
  virtual void arrived(const arrived_packet& what) = 0;
  [[nodiscard]] virtual bool follows_time() const { return false; }
};

}  // namespace upwash::simulator
