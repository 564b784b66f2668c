// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is kept of a call's shape: its algorithm, its schedule, its compact steps.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upwash/collective/detail/call.hpp"
#include "upwash/collective/detail/choose/site.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/executor.hpp"
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

/// Bytes that a call's buffers have at this rank at least; 0 where the typed calls look themselves.
struct least_lengths {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  bool combines = false;  ///< an operator is needed
};

/// What is kept of a call's shape.
struct plan {
  explicit plan(const call& of) : shape(of), what(of.what) {}

  call_shape shape;
  problem what;  ///< with the team's facts
  least_lengths least;

  // What was chosen for it.
  std::optional<mechanism> transfer;  ///< of all edges that can
  selection chosen;
  std::optional<schedule::generator> steps;  ///< of this rank
  std::shared_ptr<site> changes;             ///< where the algorithm may become another one
  manner run_as;
  std::optional<compact_plan> compact;  ///< where all steps run on the team's board
  bool stale = false;                   ///< no call may find it any more

  [[nodiscard]] bool in_use() const noexcept { return compact && compact->runs != 0; }
};

/// The plans of a team: at most 32 beside those that run; the least recently used goes first.
class plan_cache {
 public:
  static constexpr std::size_t most_plans = 32;

  /// The plan of that shape, or null. The most recently used is found at once.
  [[nodiscard]] plan* find(const call& wanted) noexcept;
  plan& add(plan&& made);
  /// No call finds any of them again; those that run stay until they are over.
  void forget() noexcept;

 private:
  std::list<plan> plans_;  ///< most recently used first
};

}  // namespace upwash::collective::detail
