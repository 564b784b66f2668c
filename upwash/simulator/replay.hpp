// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replays a schedule on the message-level network, or through a carrier (the packet network), all
// ranks, event by event, without any of the pricer's ways to walk less: the check of
// schedule/price, and the simulator of large teams. A processor that is free takes the earliest
// step of the schedule that can go on, as an executor does.
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

/// What a replay did.
struct replay_totals {
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;       ///< edges of the schedule that were sent
  std::uint64_t wire_messages = 0;  ///< what travelled for them: offers, replies, ... too
  /// At the worst moment, of generators and open steps; and of all else.
  std::uint64_t schedule_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

/// Links that messages between nodes share. Of n messages on a link each has an n-th of its rate;
/// a message has the share of the most loaded link on the preferred way between its nodes, as it
/// is when it starts, to its end. No packets, no buffers: who starts later slows nobody down.
struct shared_links {
  const model::topology* on = nullptr;  ///< null: none are shared
  std::int64_t ps_per_byte = 0;         ///< of a link
};

struct replay_options {
  /// Copies and reductions that the machine gives no cost for take no time.
  bool free_where_absent = false;
  std::uint32_t least_window = 32;  ///< steps open at once, at least
  std::optional<function_ref<schedule::facts(int rank)>> facts_of{};
  /// Carries what it can instead of the message-level network, whose costs of processors stay.
  carrier* through = nullptr;
  shared_links links{};  ///< not together with a carrier; all events are in one order then
  noise daemons{};       ///< of the operating system
  /// Windows of time are shared by so many; a carrier needs 1. The result is the same.
  int threads = 1;
  /// Nodes are walked window by window; false: all events in one order of time, by one thread. The
  /// result is the same.
  bool by_windows = true;
  replay_totals* totals = nullptr;  ///< filled at the end
  /// Told from time to time how many steps are done, by one thread at a time.
  std::optional<function_ref<void(std::uint64_t steps)>> progress{};
};

struct replayed_rank {
  duration completion;
  duration processor;  ///< busy
};

/// Every rank's completion and processor time. `schedule_of` may be called again for a rank. About
/// 0.2 us a message, time linear in messages. Throws `error`: fault when steps never come to their
/// end, configuration for missing costs and steps in the network, argument for bad options.
[[nodiscard]] std::vector<replayed_rank> replay(
    int ranks, function_ref<schedule::generator(int rank)> schedule_of, const machine& on,
    const schedule::transfer_rules& rules, const replay_options& options = {});

}  // namespace upwash::simulator
