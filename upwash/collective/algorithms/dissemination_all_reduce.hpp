// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at all ranks. Idea: in round r tell the ranks 1
// to k-1 times k^r further what is combined so far; then it is of k^(r+1) ranks. Cost: (k-1) log_k
// P messages of n bytes a rank. Restrictions: P a power of k (otherwise some would be counted
// twice); a commutative operator, and ranks combine in different orders: where that rounds
// differently the results of ranks differ. Source: Hensgen, Finkel and Manber 1988, with a payload.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class dissemination_all_reduce {
 public:
  dissemination_all_reduce(int ranks, int rank, std::uint64_t bytes, int radix, bool in_place)
      : turn_(ranks, rank, radix),
        radix_(radix),
        bytes_(bytes),
        part_(in_place ? part::send : part::copy) {}

  [[nodiscard]] static bool serves(int ranks, int radix) noexcept;

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept {
    return 2 * static_cast<std::uint32_t>(radix_);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    return static_cast<std::uint64_t>(turn_.turns()) * bytes_;
  }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  enum class part : std::uint8_t { copy, send, receive, reduce };
  [[nodiscard]] schedule::piece slot(int digit) const noexcept;

  detail::dissemination turn_;
  int radix_;
  std::uint64_t bytes_;
  part part_;
  int combined_ = 0;                        ///< slots of this round
  schedule::mark value_ = schedule::never;  ///< what is combined so far is in the output
};

}  // namespace upwash::collective
