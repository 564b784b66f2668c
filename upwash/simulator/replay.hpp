// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replays a schedule on the message-level network, or through a carrier (the packet network), all
// ranks, event by event, without any of the pricer's ways to walk less: the check of
// schedule/price. A processor that is free takes the earliest step of the schedule that can go on,
// as an executor does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/simulator/network/carrier.hpp"
#include "upwash/simulator/noise.hpp"

namespace upwash::simulator {

struct replay_options {
  /// Copies and reductions that the machine gives no cost for take no time.
  bool free_where_absent = false;
  std::uint32_t least_window = 32;  ///< steps open at once, at least
  std::optional<function_ref<schedule::facts(int rank)>> facts_of{};
  /// Carries what it can instead of the message-level network, whose costs of processors stay.
  carrier* through = nullptr;
  noise daemons{};  ///< of the operating system
};

struct replayed_rank {
  duration completion;
  duration processor;  ///< busy
};

/// Every rank's completion and processor time. For teams of some thousands: about 1 us a step, the
/// windows of all ranks in memory. Throws `error`: fault when steps never come to their end,
/// configuration for missing costs and steps in the network.
[[nodiscard]] std::vector<replayed_rank> replay(
    int ranks, function_ref<schedule::generator(int rank)> schedule_of, const machine& on,
    const schedule::transfer_rules& rules, const replay_options& options = {});

}  // namespace upwash::simulator
