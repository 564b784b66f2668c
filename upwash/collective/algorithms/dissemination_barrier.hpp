// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Idea: in round k tell the rank 2^k further and
// hear from the one 2^k before; after round k a rank knows of 2^(k+1) ranks. Cost: ceil(log2 P)
// messages of no bytes a rank, as many rounds. Any P. Source: Hensgen, Finkel and Manber 1988.
#pragma once

#include <bit>
#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class dissemination_barrier {
 public:
  dissemination_barrier(int ranks, int rank) : ranks_(ranks), rank_(rank) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 2; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  /// Its end, once all is emitted: behind it all others have entered. `never` for a single rank.
  [[nodiscard]] schedule::mark passed() const noexcept { return last_receive_; }
  [[nodiscard]] static std::uint32_t rounds(int ranks) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  int ranks_;
  int rank_;
  std::int64_t distance_ = 1;
  std::uint32_t round_ = 0;
  bool heard_ = true;  ///< the receive of the round before has been emitted
  schedule::mark last_receive_ = schedule::never;
};

}  // namespace upwash::collective
