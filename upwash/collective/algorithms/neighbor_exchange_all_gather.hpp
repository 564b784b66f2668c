// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: exchange with one neighbour, then by turns with
// the other and with this one, each time the two blocks that came last; all messages stay beside.
// Cost: P/2 messages, (P-1) m bytes a rank. Restrictions: an even number of ranks, or one. Source:
// Chen et al. 2005, neighbor exchange.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class neighbor_exchange_all_gather : public detail::in_rounds<neighbor_exchange_all_gather, 3> {
 public:
  /// `bytes` a block. In place: the rank's own block is in the output already.
  neighbor_exchange_all_gather(int ranks, int rank, std::uint64_t bytes, bool in_place)
      : ranks_(ranks), rank_(rank), bytes_(bytes), in_place_(in_place) {}

  [[nodiscard]] static bool serves(int ranks) noexcept { return ranks == 1 || ranks % 2 == 0; }
  [[nodiscard]] std::uint32_t window() const noexcept { return 4; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  friend class detail::in_rounds<neighbor_exchange_all_gather, 3>;
  [[nodiscard]] int rounds() const noexcept { return ranks_ == 1 ? 1 : ranks_ / 2; }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  [[nodiscard]] int neighbour(int round) const noexcept;
  /// The first block of the pair that came to a rank in a round.
  [[nodiscard]] int pair_of(int rank, int round) const noexcept;
  [[nodiscard]] schedule::piece blocks(int first, int count) const noexcept;

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  bool in_place_;
  schedule::mark came_ = schedule::never;
};

}  // namespace upwash::collective
