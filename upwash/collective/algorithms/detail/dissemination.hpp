// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The pattern of dissemination: in round r, with distance k^r, each rank deals with the ranks that
// are 1 to k-1 distances ahead and behind, as far as there are so many. After round r what went
// ahead has come k^(r+1) ranks far. Barriers, gathers, reductions and exchanges differ in what they
// carry.
#pragma once

#include <algorithm>
#include <cstdint>

namespace upwash::collective::detail {

class dissemination {
 public:
  static constexpr int most_radix = 64;  ///< windows and scratch grow with it

  dissemination(int ranks, int rank, int radix) noexcept
      : distance_(1), ranks_(ranks), rank_(rank), radix_(radix) {}

  [[nodiscard]] bool ended() const noexcept { return distance_ >= ranks_; }
  [[nodiscard]] bool begins_round() const noexcept { return digit_ == 1; }
  [[nodiscard]] std::uint32_t round() const noexcept { return round_; }
  [[nodiscard]] std::int64_t distance() const noexcept { return distance_; }
  /// From the rank to the two it deals with now; less than there are ranks.
  [[nodiscard]] std::int64_t reach() const noexcept { return digit_ * distance_; }
  [[nodiscard]] int digit() const noexcept { return digit_; }
  [[nodiscard]] int ahead() const noexcept { return static_cast<int>((rank_ + reach()) % ranks_); }
  [[nodiscard]] int behind() const noexcept {
    return static_cast<int>((rank_ - reach() + ranks_) % ranks_);
  }
  /// The same at both ends.
  [[nodiscard]] std::uint32_t edge() const noexcept {
    return round_ * static_cast<std::uint32_t>(radix_ - 1) + static_cast<std::uint32_t>(digit_ - 1);
  }
  /// Turns in a round, at most.
  [[nodiscard]] int turns() const noexcept { return std::max(1, std::min(radix_, ranks_) - 1); }

  void next() noexcept {
    ++digit_;
    if (digit_ < radix_ && reach() < ranks_) return;
    digit_ = 1;
    distance_ *= radix_;
    ++round_;
  }

 private:
  std::int64_t distance_;
  int ranks_;
  int rank_;
  int radix_;
  int digit_ = 1;
  std::uint32_t round_ = 0;
};

}  // namespace upwash::collective::detail
