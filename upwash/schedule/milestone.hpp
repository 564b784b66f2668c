// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What any number of steps wait for, within a bounded window: after each `reach` of them the latest
// takes its place, as it is behind it.
#pragma once

#include <cstdint>

#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

class milestone {
 public:
  /// So many steps may lie between it and the last that waits for it.
  static constexpr std::uint32_t reach = 32;

  void set(mark at) noexcept {
    at_ = at;
    passed_ = 0;
  }
  [[nodiscard]] mark at() const noexcept { return at_; }

  /// A step has been emitted that waits for it.
  void pass(mark step) noexcept {
    if (at_ != never && ++passed_ == reach) set(step);
  }

 private:
  mark at_ = never;
  std::uint32_t passed_ = 0;
};

}  // namespace upwash::schedule
