// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What links, switches and NICs are like. The defaults are Kumar 2005, table 8.1.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"

namespace upwash::simulator {

/// Where a switch keeps packets that cannot go on yet.
enum class switch_design : std::uint8_t {
  output_queued,  ///< at the outputs, with reserved room for each input (Kumar 2005, section 8.1)
  input_queued,   ///< at the inputs: who waits in front of a queue blocks all behind
};

/// How much room a sender counts on at the input that its link leads to.
enum class flow_control : std::uint8_t {
  crosspoint,  ///< `buffers` packets for each output; all of them must have room
  input,       ///< `buffers` packets in all
};

/// Which one of several ports upwards.
enum class up_choice : std::uint8_t {
  adaptive,  ///< the one with the fewest packets waiting; among equals any
  random,
};

struct network_parameters {
  std::int64_t ps_per_byte = 800;  ///< 10 Gbit/s
  std::uint32_t packet_bytes = 256;
  duration channel_delay = duration::from_ns(20);
  duration switch_delay = duration::from_ns(90);
  duration send_overhead = duration::from_ns(1300);  ///< of the NIC; packets follow each other
  duration receive_overhead = duration::from_ns(1300);
  // The NIC's protocol: how fast it reads packets, and how many it sends before an answer.
  std::int64_t nic_ps_per_byte = 0;  ///< where slower than the link
  int packets_in_flight = 0;         ///< of a node, until acknowledged; 0: any number
  duration message_gap;       ///< from a message's last byte to the next one's first (LogGP's g)
  duration acknowledge_time;  ///< from a packet's head to its acknowledgement, at the receiver
  switch_design design = switch_design::output_queued;
  flow_control credits = flow_control::crosspoint;
  up_choice up = up_choice::adaptive;
  int buffers = 4;        ///< packets a crosspoint, or an input
  int input_queues = 1;   ///< queues of an input, 0: one for each output (virtual output queues)
  double speedup = 1;     ///< of the crossbar of input-queued switches against the links
  int output_buffer = 4;  ///< packets behind the crossbar of input-queued switches
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

/// Quadrics QsNet as Kumar 2005 met it: packets of 320 B, 319 MB/s a link, 305 MB/s from NIC memory
/// (table 2.6), one packet in flight, acknowledged when its head has come (section 2.1.2). Switch,
/// wire and acknowledgement are fitted to table 2.8 and section 4.1: 41 ns a switch and wire.
[[nodiscard]] network_parameters qsnet_parameters();

/// Of a machine, so that a message alone takes what the message level says: bytes as the NIC reads
/// memory (with `nic_memory` its own), gaps and latency of the outermost level. Delays of switches
/// and wires are table 8.1's, or QsNet's where packets are acknowledged one by one; what a mean way
/// through `in` leaves of the latency is the NICs', and where it leaves nothing the delays are
/// shortened. Buffers hold what a link carries until a credit is back, 4 packets at least.
/// Throws `error` (configuration) for a machine without costs of messages, or without
/// NIC memory where that is asked for.
[[nodiscard]] network_parameters parameters_of(const machine& on, const model::topology& in,
                                               bool nic_memory = false);

/// Throws `error` (argument) naming the value that makes no network.
void check(const network_parameters& with);

}  // namespace upwash::simulator
