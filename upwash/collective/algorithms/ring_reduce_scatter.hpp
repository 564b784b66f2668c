// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: block i of the combination of all ranks' vectors, at rank i. Idea: each block travels
// round the ring, is combined with each rank's own on its way, and ends at its owner. Cost: P-1
// messages of m bytes a rank: the least bytes possible. Restrictions: commutative operators. Any P.
// Source: Patarasuk and Yuan 2009, the first half.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class ring_reduce_scatter : public detail::in_rounds<ring_reduce_scatter, 3> {
 public:
  /// The input holds P blocks of `bytes`, the output one.
  ring_reduce_scatter(int ranks, int rank, std::uint64_t bytes)
      : ranks_(ranks), rank_(rank), bytes_(bytes) {}

  [[nodiscard]] std::uint32_t window() const noexcept { return 5; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 2 * bytes_; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }
  [[nodiscard]] schedule::repetition repeats() const noexcept {
    if (!between_rounds()) return {};
    return {.from = 2, .rounds = static_cast<std::uint64_t>(rounds() - round())};
  }
  void skip(std::uint64_t rounds) noexcept { pass_over(static_cast<int>(rounds)); }

 private:
  friend class detail::in_rounds<ring_reduce_scatter, 3>;
  [[nodiscard]] int rounds() const noexcept { return ranks_ == 1 ? 1 : ranks_ - 1; }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  [[nodiscard]] schedule::piece block_of_input(std::int64_t b) const noexcept;
  [[nodiscard]] schedule::piece slot(int round) const noexcept;

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  schedule::mark sent_before_ = schedule::never;  ///< the send of the round before
  schedule::mark sent_ = schedule::never;
  schedule::mark received_ = schedule::never;
  schedule::mark reduced_ = schedule::never;
};

}  // namespace upwash::collective
