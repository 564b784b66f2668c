// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The partners and contents of the pairwise exchanges of a fence_barrier: arithmetic, no messages.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace upwash::detail {

/// The number of unacknowledged puts from one member to another since the job began.
struct pair_count {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint64_t count = 0;
};

/// The members below the largest power of two that is not above `size` exchange pairwise: recursive
/// doubling. Each surplus member has joined one of them, which acts for it.
class pairwise {
 public:
  pairwise(int rank, int size)
      : rank_(rank),
        core_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
        rounds_(std::bit_width(static_cast<unsigned>(size)) - 1),
        joined_(rank < core_ && rank + core_ < size) {}

  [[nodiscard]] int rounds() const noexcept { return rounds_; }
  [[nodiscard]] bool is_outside() const noexcept { return rank_ >= core_; }
  [[nodiscard]] bool has_joined() const noexcept { return joined_; }
  /// Returns the surplus member for which this rank acts, or the member that acts for this rank.
  [[nodiscard]] int other() const noexcept { return is_outside() ? rank_ - core_ : rank_ + core_; }
  [[nodiscard]] int partner(int round) const noexcept { return rank_ ^ (1 << round); }
  /// Returns whether counts for that member go to the partner of the round.
  [[nodiscard]] bool crosses(int target, int round) const noexcept {
    return (((target % core_) ^ rank_) >> round & 1) != 0;
  }

  // Numbers of the messages, each from one rank to another.
  [[nodiscard]] int joining() const noexcept { return 0; }
  [[nodiscard]] int counts(int round) const noexcept { return 1 + round; }
  [[nodiscard]] int passing_on() const noexcept { return 1 + rounds_; }
  [[nodiscard]] int arrived() const noexcept { return 2 + rounds_; }
  [[nodiscard]] int meeting(int round) const noexcept { return 3 + rounds_ + round; }
  [[nodiscard]] int leaving() const noexcept { return 3 + 2 * rounds_; }

 private:
  int rank_;
  int core_;
  int rounds_;
  bool joined_;
};

}  // namespace upwash::detail
