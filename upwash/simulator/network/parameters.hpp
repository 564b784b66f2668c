// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parameters of links, switches and NICs. The defaults are Kumar 2005, table 8.1.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/network_costs.hpp"
#include "upwash/model/topology.hpp"

namespace upwash::simulator {

/// The place in a switch for packets that must wait.
enum class switch_design : std::uint8_t {
  output_queued,  ///< at the outputs, with reserved room for each input (Kumar 2005, section 8.1)
  input_queued,   ///< at the inputs: the head of a queue blocks all packets after it
};

/// The room that a sender assumes at the input of its link.
enum class flow_control : std::uint8_t {
  crosspoint,  ///< `buffers` packets for each output; all of them must have room
  input,       ///< `buffers` packets in total
};

/// The choice among several upward ports.
enum class up_choice : std::uint8_t {
  adaptive,  ///< the one with the fewest waiting packets; any among equals
  random,
};

struct network_parameters : model::network_costs {
  int packets_in_flight = 0;  ///< of a node, until acknowledged; 0: any number
  duration acknowledge_time;  ///< from a packet's head to its acknowledgement, at the receiver
  switch_design design = switch_design::output_queued;
  flow_control credits = flow_control::crosspoint;
  up_choice up = up_choice::adaptive;
  int buffers = 4;       ///< packets a crosspoint, or an input
  int input_queues = 1;  ///< queues of an input; 0: one for each output (virtual output queues)
  double speedup = 1;    ///< of the crossbar of input-queued switches, relative to the links
  /// Rounds of matching inputs and outputs in each packet time; 0: as they become free. Multicasts
  /// need rounds.
  int arbiter_rounds = 0;
  bool fanout_splitting = true;  ///< a multicast may leave by some outputs earlier than by others
  /// Maximum time for which packets may wait for a link that carries none; a longer wait is an
  /// error. Zero: 10000 packet times, and 16 for each node.
  duration patience;
  int output_buffer = 4;  ///< packets after the crossbar of input-queued switches
};

/// Returns the parameters of Quadrics QsNet as described by Kumar 2005: packets of 320 B, 319 MB/s
/// a link, 305 MB/s from NIC memory (table 2.6), one packet in flight, acknowledged when its head
/// has arrived (section 2.1.2). Switch, wire and acknowledgement are fitted to table 2.8 and
/// section 4.1: 41 ns a switch and wire.
[[nodiscard]] network_parameters qsnet_parameters();

/// Returns the parameters of a machine, by `model::fitted` from table 8.1, or from QsNet if packets
/// are acknowledged individually. Buffers hold the packets that a link carries until a credit
/// returns, at least 4. Throws as `fitted` does.
[[nodiscard]] network_parameters parameters_of(const machine& on, const model::topology& in,
                                               bool nic_memory = false);

/// Throws `error` (argument) with the invalid value.
void check(const network_parameters& with);

/// Throws `error` (argument) if the switches have no multicasts.
void check_multicasts(const network_parameters& with);

}  // namespace upwash::simulator
