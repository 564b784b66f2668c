// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is kept of a call's shape: its algorithm, its schedule, its compact steps.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "upwash/collective/detail/call.hpp"
#include "upwash/collective/detail/compact.hpp"
#include "upwash/collective/detail/site.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective::detail {

/// What is kept of a call's shape.
struct plan {
  // The shape.
  problem what;
  collective_options how;
  std::string forced;  ///< holds the text of how.algorithm
  std::string label;   ///< holds the text of how.label

  // What was chosen for it.
  std::optional<mechanism> transfer;  ///< of all edges that can
  selection chosen;
  std::optional<schedule::generator> steps;  ///< of this rank
  site* changes = nullptr;                   ///< where the algorithm may become another one
  manner run_as;
  /// The steps, where all of them run on the team's board, in order: on the caller's stack.
  bool runs_compact = false;
  int looks = 0;  ///< at a word before more is done: job::looks
  std::vector<compact_step> compact;
  std::uint64_t scratch_bytes = 0;
  std::uint64_t shared_bytes = 0;
  bool exposes_input = false;
  bool exposes_output = false;
  int runs = 0;  ///< calls that go through `compact`: it is kept for them
};

/// The plans of a team: at most 32 beside those that run; the least recently used goes first.
class plan_cache {
 public:
  static constexpr std::size_t most_plans = 32;

  /// The plan of that shape, or null. The most recently used is found at once.
  [[nodiscard]] plan* find(const call& wanted) noexcept;
  plan& add(plan&& made);
  /// Forgets those that do not run.
  void drop_unused() noexcept;

 private:
  std::list<plan> plans_;  ///< most recently used first
};

}  // namespace upwash::collective::detail
