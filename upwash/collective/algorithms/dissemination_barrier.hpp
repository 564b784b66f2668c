// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Idea: in round r tell the ranks 1 to k-1 times
// k^r further and hear from those before; after round r a rank knows of k^(r+1) ranks. Cost: (k-1)
// ceil(log_k P) messages of no bytes a rank at most, ceil(log_k P) rounds. Any P. Source: Hensgen,
// Finkel and Manber 1988, there with k = 2.
#pragma once

#include <bit>
#include <cstdint>

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class dissemination_barrier {
 public:
  dissemination_barrier(int ranks, int rank, int radix = 2) : turn_(ranks, rank, radix) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept {
    return 2 * static_cast<std::uint32_t>(turn_.turns());
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  /// Its end, once all is emitted: behind it all others have entered. `never` for a single rank.
  [[nodiscard]] schedule::mark passed() const noexcept { return last_receive_; }
  /// Of radix 2.
  [[nodiscard]] static std::uint32_t rounds(int ranks) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  detail::dissemination turn_;
  bool sends_ = true;
  schedule::mark round_before_ = schedule::never;  ///< the last receive of the round before
  schedule::mark last_receive_ = schedule::never;
};

}  // namespace upwash::collective
