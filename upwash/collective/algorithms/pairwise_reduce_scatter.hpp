// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: block i of the combination of all ranks' vectors, at rank i. Idea: each block straight
// to its owner, in stage i to the rank i further. The ranks below come first, from the nearest on,
// then those above, from the farthest on; each rank combines the two groups apart, and so keeps the
// order: the operator need not commute. Cost: P-1 messages of m bytes a rank. Any P. Source:
// Thakur, Rabenseifner and Gropp 2005, pairwise exchange.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class pairwise_reduce_scatter : public detail::in_rounds<pairwise_reduce_scatter, 4> {
 public:
  /// The input holds P blocks of `bytes`, the output one.
  pairwise_reduce_scatter(int ranks, int rank, std::uint64_t bytes)
      : ranks_(ranks), rank_(rank), bytes_(bytes) {}

  /// Steps wait for one of the last few; the rest is room for messages to overlap.
  [[nodiscard]] std::uint32_t window() const noexcept { return 24; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 3 * bytes_; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  friend class detail::in_rounds<pairwise_reduce_scatter, 4>;
  [[nodiscard]] int rounds() const noexcept { return ranks_ == 1 ? 1 : ranks_ - 1; }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);
  void send(schedule::step& out, schedule::tape& on);
  void receive(schedule::step& out, schedule::tape& on);
  detail::emitted reduce(schedule::step& out, schedule::tape& on);
  detail::emitted finish(schedule::step& out, schedule::tape& on);

  [[nodiscard]] schedule::piece block_of_input(int b) const noexcept;
  [[nodiscard]] schedule::piece slot(int number) const noexcept;
  /// The rank's own block with those of the ranks below, so far.
  [[nodiscard]] schedule::piece below() const noexcept;
  [[nodiscard]] schedule::piece above() const noexcept { return slot(2); }
  [[nodiscard]] bool from_below() const noexcept { return round() < rank_; }
  [[nodiscard]] bool first_above() const noexcept { return round() == rank_; }

  int ranks_;
  int rank_;
  std::uint64_t bytes_;
  schedule::mark below_ = schedule::never;
  schedule::mark above_ = schedule::never;
  schedule::mark received_ = schedule::never;
  schedule::mark free_[2] = {schedule::never, schedule::never};  ///< slots, by parity
};

}  // namespace upwash::collective
