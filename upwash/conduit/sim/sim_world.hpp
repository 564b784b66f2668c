// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated conduit: ranks are fibers of one process, time is virtual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "upwash/conduit/world.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/simulator/noise.hpp"

namespace upwash::conduit {

struct sim_options {
  int ranks = 1;
  int ranks_per_process = 1;  ///< at most so many share an endpoint, evenly
  machine on;                 ///< costs and levels
  std::uint64_t seed = 0;
  bool perturb = false;  ///< random delays and legal reorderings, drawn from the seed
  std::size_t stack_bytes = 128 * 1024;
  int queue_messages = 256;  ///< credits of a (source, destination, lane)
  /// Ranks load and store each other's allocated memory, for the protocols that stand on it: each
  /// sees what others have stored up to where they wait, whatever their clocks say, so times mean
  /// less. Who waits looks again and again; a deadlock is named after 100,000 looks in vain.
  bool direct_access = false;
  /// Else puts, gets and atomics are messages that their owner's processor serves, as on networks
  /// without remote access; not with direct_access.
  bool remote_writes = true;
  /// Puts to the same bytes that nothing orders end the run with an error that names both callers
  /// (detail/write_conflicts.hpp); up to 4,096 ranks, not with direct_access. 4 bytes a pair of
  /// ranks.
  bool find_conflicts = false;
  /// Messages between nodes cross this network packet by packet; null: the message level, with
  /// contention at the ends only. Acknowledgements and credits come back by the latter.
  std::shared_ptr<const model::topology> through{};
  std::string record_traffic{};  ///< a file for what crosses between nodes (network/trace.hpp)
  simulator::noise daemons{};    ///< of the operating system: they take the nodes' processors
};

/// Deterministic: same program, options and machine give the same events and times. Memory a
/// rank: about 1 KiB, the touched part of its stack, its segments as they are touched, and 64
/// bytes for each lane of each peer that it has sent to.
///
/// When a body throws or the ranks deadlock, the other ranks end by an exception of no public
/// type out of their next `poll`, `compute` or `idle`: a destructor that waits must catch
/// everything. A rank that waits while it unwinds is dropped without running its destructors.
[[nodiscard]] std::unique_ptr<world> make_sim_world(sim_options options);

/// What a simulated world has done so far.
struct sim_report {
  duration time;                  ///< of the last event
  std::uint64_t events = 0;       ///< in all
  std::uint64_t messages = 0;     ///< active messages delivered
  std::uint64_t digest = 0;       ///< equal for equal event traces
  std::uint64_t packet_hops = 0;  ///< through the network of packets
};
/// `simulated` was made by make_sim_world.
[[nodiscard]] sim_report report_of(const world& simulated);

/// The network of packets that its messages cross, or null; null for worlds of other conduits.
[[nodiscard]] std::shared_ptr<const model::topology> network_of(const world& any);

}  // namespace upwash::conduit
