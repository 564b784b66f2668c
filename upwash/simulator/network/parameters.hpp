// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What links, switches and NICs are like. The defaults are Kumar 2005, table 8.1.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/network_costs.hpp"
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

struct network_parameters : model::network_costs {
  int packets_in_flight = 0;  ///< of a node, until acknowledged; 0: any number
  duration acknowledge_time;  ///< from a packet's head to its acknowledgement, at the receiver
  switch_design design = switch_design::output_queued;
  flow_control credits = flow_control::crosspoint;
  up_choice up = up_choice::adaptive;
  int buffers = 4;       ///< packets a crosspoint, or an input
  int input_queues = 1;  ///< queues of an input, 0: one for each output (virtual output queues)
  double speedup = 1;    ///< of the crossbar of input-queued switches against the links
  /// Of the matching of inputs and outputs in each packet time; 0: as they become free. Multicasts
  /// need rounds.
  int arbiter_rounds = 0;
  bool fanout_splitting = true;  ///< a multicast goes to some of its outputs before others
  /// Packets may wait so long for a link that carries none meanwhile, before that is an error.
  /// Zero: 10000 packet times, and 16 for each node.
  duration patience;
  int output_buffer = 4;  ///< packets behind the crossbar of input-queued switches
};

/// Quadrics QsNet as Kumar 2005 met it: packets of 320 B, 319 MB/s a link, 305 MB/s from NIC memory
/// (table 2.6), one packet in flight, acknowledged when its head has come (section 2.1.2). Switch,
/// wire and acknowledgement are fitted to table 2.8 and section 4.1: 41 ns a switch and wire.
[[nodiscard]] network_parameters qsnet_parameters();

/// Of a machine, by `model::fitted` from table 8.1, or from QsNet where packets are acknowledged
/// one by one. Buffers hold what a link carries until a credit is back, 4 packets at least. Throws
/// as `fitted` does.
[[nodiscard]] network_parameters parameters_of(const machine& on, const model::topology& in,
                                               bool nic_memory = false);

/// Throws `error` (argument) naming the value that makes no network.
void check(const network_parameters& with);

/// Throws `error` (argument) where switches have no multicasts.
void check_multicasts(const network_parameters& with);

}  // namespace upwash::simulator
