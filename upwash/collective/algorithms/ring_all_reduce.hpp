// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at all ranks. Idea: cut the vector into P blocks;
// in P-1 rounds each block travels round the ring and is combined on its way, in P-1 more the
// results travel on. Cost: 2(P-1) messages of about n/P bytes a rank: the least bytes possible.
// Restrictions: commutative operators. Source: Patarasuk and Yuan 2009.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class ring_all_reduce {
 public:
  /// `elements` of `element_bytes` each at every rank; any number, also fewer than ranks.
  ring_all_reduce(int ranks, int rank, std::uint64_t elements, std::uint64_t element_bytes,
                  bool in_place)
      : ranks_(ranks),
        rank_(rank),
        elements_(elements),
        element_bytes_(element_bytes),
        phase_(in_place ? phase::send : phase::copy) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 5; }
  /// Two blocks: one arrives while the other is combined.
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 2 * largest_block(); }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  /// But for blocks that are an element longer than others.
  [[nodiscard]] bool alike() const noexcept { return true; }
  [[nodiscard]] schedule::repetition repeats() const noexcept;
  void skip(std::uint64_t rounds) noexcept;

 private:
  enum class phase : std::uint8_t { copy, send, receive, reduce, pass_send, pass_receive, end };

  [[nodiscard]] std::uint64_t largest_block() const noexcept;
  /// The block `b` (any number, taken modulo P) of the output.
  [[nodiscard]] schedule::piece block(std::int64_t b) const noexcept;
  void combine(schedule::step& out, schedule::tape& on);
  void pass_on(schedule::step& out, schedule::tape& on);

  int ranks_;
  int rank_;
  std::uint64_t elements_;
  std::uint64_t element_bytes_;
  phase phase_;
  int turn_ = 0;
  schedule::mark ready_ = schedule::never;  ///< the block to send next is complete
  schedule::mark sent_ = schedule::never;
  schedule::mark received_ = schedule::never;
  schedule::mark reduced_[2] = {schedule::never, schedule::never};  ///< by parity of the turn
};

}  // namespace upwash::collective
