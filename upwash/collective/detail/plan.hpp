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

/// What one call has in common with another: all that members know of it before anything is chosen.
/// Holds the text that its options view.
class call_shape {
 public:
  explicit call_shape(const call& of);
  [[nodiscard]] bool is_of(const call& wanted) const noexcept {
    return what_ == wanted.what && how_ == wanted.how;
  }

 private:
  problem what_;
  collective_options how_;
  std::vector<char> text_;  ///< stays where it is when this moves
};

/// What is kept of a call's shape.
struct plan {
  explicit plan(const call& of) : shape(of), what(of.what) {}

  call_shape shape;
  problem what;  ///< with the team's facts

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
