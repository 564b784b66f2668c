// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A dependency of any number of steps within a bounded window. After each `reach` dependent steps
// the latest of them replaces the milestone, because it comes after it.
#pragma once

#include <cstdint>

#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

class milestone {
 public:
  /// Maximum number of steps between the milestone and the last step that waits for it.
  static constexpr std::uint32_t reach = 32;

  void set(mark at) noexcept {
    at_ = at;
    passed_ = 0;
  }
  [[nodiscard]] mark at() const noexcept { return at_; }

  /// Counts a step that waits for the milestone.
  void pass(mark step) noexcept {
    if (at_ != never && ++passed_ == reach) set(step);
  }

 private:
  mark at_ = never;
  std::uint32_t passed_ = 0;
};

}  // namespace upwash::schedule
