// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands at the nodes of a packet network: it gives each NIC its next packet and is told of
// packets that arrive.
#pragma once

#include <cstdint>

#include "upwash/model/topology.hpp"

namespace upwash::simulator {

/// What the switches do with a packet.
enum class packet_kind : std::uint8_t {
  single,      ///< to one node
  multicast,   ///< to all others of its group
  reduce,      ///< combined with those of the others of its group, for the one that sends none
  all_reduce,  ///< combined with those of all of its group, for all of them
};

/// The next packet of a node.
struct offered_packet {
  model::bound goal;  ///< single
  std::uint32_t bytes = 0;
  std::int64_t born_ps = 0;   ///< latency counts from here
  std::int64_t ready_ps = 0;  ///< the NIC may put it on the link from here on
  std::uint32_t tag = 0;      ///< the source's own; packets that are reduced together have the same
  packet_kind kind = packet_kind::single;
  std::int32_t group = -1;  ///< as `packet_network::add_group` numbered it
};

struct arrived_packet {
  int from = 0;  ///< node; of reductions one of those that sent
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

  /// The node's next packet; false: none, until the network is told with `has_packets`. Asked for
  /// again once the last one is on its way.
  virtual bool next(int node, std::int64_t now_ps, offered_packet& fresh) = 0;

  /// Told when the packet's way is certain, which is before it arrives (`at_ps`), or exactly then
  /// when `follows_time`.
  virtual void arrived(const arrived_packet& what) = 0;
  [[nodiscard]] virtual bool follows_time() const { return false; }
};

}  // namespace upwash::simulator
