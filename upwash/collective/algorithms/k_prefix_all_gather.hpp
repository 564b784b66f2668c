// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: partitions of k ranks; a rank sends its block to
// the k-1 others of its partition (rank XOR d), then on to the next partition (rank + k), whence
// the next block comes: k-1 of k messages stay near. Cost: P-1 messages of m bytes a rank.
// Restrictions: k becomes the largest power of two that divides both k and P; for odd P 1, the
// ring. Source: Kumar 2005, 4.3.3 and 4.4, equation 4.5.
#pragma once

#include <array>
#include <cstdint>

#include "upwash/collective/algorithms/dissemination_barrier.hpp"

namespace upwash::collective {

class k_prefix_all_gather {
 public:
  struct parameters {
    std::uint64_t k = 8;
    /// So many messages between two barriers, which keep the ranks in step; 0: no barriers. The
    /// source has 1, and k as "less barriers".
    std::uint64_t pacing = 0;
  };

  /// `bytes` a block. In place: the rank's own block is in the output already.
  k_prefix_all_gather(int ranks, int rank, std::uint64_t bytes, const parameters& chosen,
                      bool in_place);

  /// The k that serves.
  [[nodiscard]] static int partition(int ranks, std::uint64_t k) noexcept;

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept;
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool alike() const noexcept { return true; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { keep, send, receive, barrier };
  /// So many sends may be open: more would ask for a window as wide as a partition.
  static constexpr std::size_t most_sends = 4;

  [[nodiscard]] schedule::piece block(std::int64_t of) const noexcept;
  void send(schedule::step& out, schedule::tape& on);
  void receive(schedule::step& out, schedule::tape& on);
  [[nodiscard]] bool next_of_barrier(schedule::step& out, schedule::tape& on);

  int ranks_;
  int rank_;
  int k_;
  std::uint32_t pacing_;
  std::uint64_t bytes_;
  phase phase_;
  int turn_ = 0;        ///< messages before this one, of P - 1
  int step_ = 0;        ///< of this block's: d - 1; k - 1: on to the next partition
  std::int64_t holds_;  ///< the rank whose block it sends, modulo P
  std::uint32_t round_ = 0;
  std::uint32_t barriers_ = 0;
  schedule::mark barrier_begun_ = schedule::never;
  /// What the next sends wait for: the block, a barrier, or the send that many before.
  std::array<schedule::mark, most_sends> sent_{};
  dissemination_barrier barrier_;
};

}  // namespace upwash::collective
