// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Times of messages and of processor work on a machine: pure functions, shared by the pricer and
// the simulator. They do not include contention, which the simulator adds.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::model {

/// The parts of a message's time. A message alone takes send_overhead + latency + transfer +
/// receive_overhead.
struct message_cost {
  duration send_overhead;     ///< of the sending processor
  duration latency;           ///< first byte out to first byte in
  duration transfer;          ///< first byte to last byte; at most busy
  duration busy;              ///< time for which the message occupies each of the two ports
  duration receive_overhead;  ///< of the receiving processor
};

/// Returns alpha + bytes * beta by the pieces' rule.
[[nodiscard]] duration alpha_beta_time(const alpha_beta_cost& pieces, std::uint64_t bytes);

/// Splits the time of a message on a level. LogGP: latency L, transfer (m-1)G, busy (m-1)G + g.
/// Alpha-beta: overheads and network time add up to alpha + m beta. This is also the busy time of a
/// port, or half of it if both directions share the budget. Without overheads all of it is network
/// time. Throws `error` (configuration) if the level has no costs.
[[nodiscard]] message_cost cost_of_message(const machine& on, std::size_t level,
                                           std::uint64_t bytes);

/// Returns the end-to-end time of one message alone.
[[nodiscard]] duration message_time(const machine& on, std::size_t level, std::uint64_t bytes);

/// Returns the time per message of a long burst with traffic both ways: the larger of the port's
/// busy time (twice for a shared port) and the processor's (one send and one receive).
[[nodiscard]] duration pipelined_time(const machine& on, std::size_t level, std::uint64_t bytes);

/// Returns bytes * ns_per_byte, rounded to picoseconds.
[[nodiscard]] constexpr duration bytes_time(std::uint64_t bytes, double ns_per_byte) {
  return duration::from_ns(static_cast<double>(bytes) * ns_per_byte);
}

/// Returns the time of a copy by the processor (gamma). Needs copy.
[[nodiscard]] duration copy_time(const machine& on, std::uint64_t bytes);

/// Returns the time that shared cores add to `rounds` dependent messages that keep each rank's
/// processor busy for `busy`: rounds * ranks per core switches, and the other ranks' turns. Zero
/// with a core for each rank. Needs cores_per_node, and core_switch if cores are shared.
[[nodiscard]] duration core_sharing_time(const machine& on, std::uint64_t rounds, duration busy,
                                         int ranks_per_node);
/// The same with a given time of a switch between ranks.
[[nodiscard]] duration core_sharing_time(duration core_switch, int cores, std::uint64_t rounds,
                                         duration busy, int ranks_per_node);

/// Returns the machine with the cost of a message in an executor of schedules (`processor.edge`).
[[nodiscard]] machine with_edges(machine on);

}  // namespace upwash::model
