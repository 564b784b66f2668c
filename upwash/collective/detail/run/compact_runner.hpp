// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocking collectives whose edges all fit lines of the team's board: step by step, in the order of
// emission, on the caller's stack.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/detail/run/operations.hpp"
#include "upwash/collective/detail/run/written_down.hpp"
#include "upwash/core/host.hpp"

namespace upwash::collective::detail {

/// A schedule's steps for the team's board, if they can all run there.
[[nodiscard]] std::optional<compact_plan> compact_plan_of(const team& among,
                                                          const team_record& record,
                                                          const schedule::generator& steps,
                                                          const manner& run_as);

/// Runs compact plans, where operations under way allow it. Owns the scratch of the larger ones: as
/// much as runs have asked for, 256 KiB at most.
class compact_runner {
 public:
  compact_runner(job& here, const in_flight& running, operations& others)
      : here_(here), running_(running), others_(others), trace_(host(here).trace()) {}

  /// Runs the steps to their end; false: not possible now, because operations under way must settle
  /// or end first. `again`: the persistent operation whose steps they are; null: an operation of
  /// their own. `site`: who calls, for reports.
  bool run(team_record& record, compact_plan& made, const binding& buffers, const call_site& site,
           operation* again);

 private:
  job& here_;
  const in_flight& running_;
  operations& others_;
  observe::trace_writer* trace_;
  std::vector<std::byte> scratch_;
  bool scratch_in_use_ = false;
};

}  // namespace upwash::collective::detail
