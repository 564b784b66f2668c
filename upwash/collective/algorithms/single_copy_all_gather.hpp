// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: all count on a counter of their own that they
// have entered; who sees that copies the block out of that rank's memory, the next rank's first,
// and tells it; nobody leaves before all have told. Cost: P-1 copies of m bytes, looks and
// signals; two counters. Restrictions: ranks that read each other's buffers. Source: Nishtala et
// al. 2009, tuning for shared memory.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class single_copy_all_gather {
 public:
  /// `bytes` a block. In place: the rank's own block lies at its place in the output, where the
  /// others read it.
  single_copy_all_gather(int ranks, int rank, std::uint64_t bytes, bool in_place)
      : ranks_(ranks), rank_(rank), bytes_(bytes), in_place_(in_place) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 1; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] std::uint32_t counter_count() const noexcept { return 2; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { enter, keep, look, copy, tell, leave, end };
  enum counter : std::uint32_t { entered, read };

  [[nodiscard]] schedule::piece block(int of) const noexcept;

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  bool in_place_;
  phase phase_ = phase::enter;
  int turn_ = 1;
};

}  // namespace upwash::collective
