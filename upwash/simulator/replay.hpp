// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replays a schedule on the message-level network or through a carrier (the packet network): all
// ranks, event by event, without the shortcuts of the pricer. It checks schedule/price and
// simulates large teams. A free processor takes the earliest step of the schedule that can proceed,
// as an executor does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/simulator/network/carrier.hpp"
#include "upwash/simulator/noise.hpp"

namespace upwash::simulator {

/// Statistics of a replay.
struct replay_totals {
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;       ///< edges of the schedule
  std::uint64_t wire_messages = 0;  ///< messages of the protocol, with offers, replies and others
  /// Peak memory of generators and open steps (schedule_bytes) and of everything else
  /// (memory_bytes).
  std::uint64_t schedule_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

/// Links that messages between nodes share. Each of n messages on a link gets an n-th of its rate.
/// A message gets the share of the most loaded link on the preferred path between its nodes, fixed
/// when it starts. There are no packets and no buffers: later messages slow no earlier ones down.
struct shared_links {
  const model::topology* on = nullptr;  ///< null: none are shared
  std::int64_t ps_per_byte = 0;         ///< of a link
};

struct replay_options {
  /// Copies and reductions without a cost in the machine take no time.
  bool free_where_absent = false;
  std::uint32_t least_window = 32;  ///< minimum number of steps open at once
  std::optional<function_ref<schedule::facts(int rank)>> facts_of{};
  /// Carries messages, where it can, instead of the message-level network. Processor costs stay
  /// those of the network.
  carrier* through = nullptr;
  shared_links links{};  ///< not together with a carrier; all events are then in one order
  noise daemons{};       ///< of the operating system
  /// Number of threads that share the windows of time. Without windows one thread does all. The
  /// result is the same.
  int threads = 1;
  /// Walks nodes window by window. false: one thread walks all events in one order of time. The
  /// result is the same.
  bool by_windows = true;
  replay_totals* totals = nullptr;  ///< filled at the end
  /// Called from time to time with the number of steps done, by one thread at a time. Must not
  /// throw.
  std::optional<function_ref<void(std::uint64_t steps)>> progress{};
};

struct replayed_rank {
  duration completion;
  duration processor;  ///< busy time
};

/// Returns every rank's completion and processor time. `schedule_of` may be called again for a
/// rank. Cost: about 0.2 us a message; time is linear in messages. Throws `error`: fault if steps
/// never end, configuration for missing costs and for steps in the network, argument for bad
/// options.
[[nodiscard]] std::vector<replayed_rank> replay(
    int ranks, function_ref<schedule::generator(int rank)> schedule_of, const machine& on,
    const schedule::transfer_rules& rules, const replay_options& options = {});

}  // namespace upwash::simulator
