// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Times of messages and of processor work on a machine: pure functions, shared by the pricer and
// the simulator. Contention is not here; the simulator adds it.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::model {

/// The parts of one message's way. Alone it takes send_overhead + latency + transfer +
/// receive_overhead.
struct message_cost {
  duration send_overhead;     ///< of the sending processor
  duration latency;           ///< first byte out to first byte in
  duration transfer;          ///< first byte to last byte; at most busy
  duration busy;              ///< for which the message holds each of the two ports
  duration receive_overhead;  ///< of the receiving processor
};

/// alpha + bytes * beta by the pieces' rule.
[[nodiscard]] duration alpha_beta_time(const alpha_beta_cost& pieces, std::uint64_t bytes);

/// Splits a message on a level. LogGP: latency L, transfer (m-1)G, busy (m-1)G + g. Alpha-beta:
/// overheads plus network make alpha + m beta, which is also what holds a port, or half of it
/// where the budget is shared by both directions; without overheads all counts as network time.
/// Throws `error` (configuration) when the level has no costs.
[[nodiscard]] message_cost cost_of_message(const machine& on, std::size_t level,
                                           std::uint64_t bytes);

/// End to end time of one message alone.
[[nodiscard]] duration message_time(const machine& on, std::size_t level, std::uint64_t bytes);

/// Time per message of a long burst with traffic both ways: the larger of what holds the port
/// (twice for a shared one) and the processor (one send and one receive).
[[nodiscard]] duration pipelined_time(const machine& on, std::size_t level, std::uint64_t bytes);

/// bytes * ns_per_byte, rounded to picoseconds.
[[nodiscard]] constexpr duration bytes_time(std::uint64_t bytes, double ns_per_byte) {
  return duration::from_ns(static_cast<double>(bytes) * ns_per_byte);
}

/// Copying by the processor (gamma). Needs copy.
[[nodiscard]] duration copy_time(const machine& on, std::uint64_t bytes);

/// What sharing cores adds to `rounds` messages, one because of the other, that take each rank's
/// processor `busy`: rounds * ranks per core switches, and the others' turns. Zero with a core for
/// each rank. Needs cores_per_node, and core_switch when cores are shared.
[[nodiscard]] duration core_sharing_time(const machine& on, std::uint64_t rounds, duration busy,
                                         int ranks_per_node);
/// The same with another switch from one rank to the next.
[[nodiscard]] duration core_sharing_time(duration core_switch, int cores, std::uint64_t rounds,
                                         duration busy, int ranks_per_node);

/// The machine, with what an executor of schedules takes for a message (`processor.edge`).
[[nodiscard]] machine with_edges(machine on);

}  // namespace upwash::model
