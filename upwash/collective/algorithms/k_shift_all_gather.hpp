// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: a rank sends its block to the k-1 ranks around it,
// and on to the rank k further; what comes from k before goes the same ways next. The P modulo k
// blocks that are left over come straight from their owners in the first iteration. Cost: P-1
// messages of m bytes a rank. Any P, k >= 1; 1: a ring. Source: Kumar 2005, 4.3.4, equation 4.6.
#pragma once

#include <array>
#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class k_shift_all_gather {
 public:
  /// `bytes` a block. In place: the rank's own block is in the output already.
  k_shift_all_gather(int ranks, int rank, std::uint64_t bytes, std::uint64_t k, bool in_place);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 2 * most_sends; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  /// Sends that may be open at once, of one block.
  static constexpr std::uint32_t most_sends = 8;
  enum class part : std::uint8_t { keep, send, receive };

  /// Ranks before this one that it sends to in the iteration; those behind are (k - 1) / 2.
  [[nodiscard]] std::int64_t before() const noexcept;
  [[nodiscard]] std::int64_t near() const noexcept { return before() + (k_ - 1) / 2; }
  [[nodiscard]] bool passes_on() const noexcept { return index_ == near(); }
  /// How far this turn's message goes.
  [[nodiscard]] std::int64_t shift() const noexcept;
  void next_turn() noexcept;
  [[nodiscard]] int rank_at(std::int64_t distance) const noexcept;
  [[nodiscard]] schedule::piece block(int of) const noexcept;

  int ranks_;
  int rank_;
  std::int64_t k_;
  std::int64_t iterations_;
  std::uint64_t bytes_;
  part part_;
  std::int64_t iteration_ = 0;
  std::int64_t index_ = 0;  ///< turn of the iteration
  std::uint32_t turn_ = 0;  ///< of all
  /// Each send waits for that so many before; the first ones for the block to be here.
  std::array<schedule::mark, most_sends> sent_{};
};

}  // namespace upwash::collective
