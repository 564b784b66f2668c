// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Idea: all count up one counter at rank 0, and
// watch it until it says P. Cost: P additions to one word, one after the other, and P-1 ranks that
// look at it from afar: fit for few ranks with one memory. Restrictions: none; without common
// memory a look is a message there and back. Source: Nishtala et al. 2009, the barrier of POSIX
// threads.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class central_counter_barrier {
 public:
  explicit central_counter_barrier(int ranks) : ranks_(ranks) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] std::uint32_t counter_count() const noexcept { return 1; }

 private:
  enum class phase : std::uint8_t { enter, watch, end };

  int ranks_;
  phase phase_ = phase::enter;
};

}  // namespace upwash::collective
