// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: in round r a rank has the blocks of the k^r ranks
// from itself on; those of as many further come from the ranks 1 to k-1 times k^r further. Blocks
// lie from the rank's own on, and are turned to their places at the end. Cost: (k-1) ceil(log_k P)
// messages at most, (P-1) m bytes a rank; (P+1) m bytes copied. Any P. Source: Bruck et al. 1997.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class dissemination_all_gather {
 public:
  /// `bytes` a block. In place: the rank's own block is in the output already.
  dissemination_all_gather(int ranks, int rank, std::uint64_t bytes, int radix, bool in_place);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept {
    return 2 + 2 * static_cast<std::uint32_t>(turn_.turns());
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return ranks_ * bytes_; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return true; }

 private:
  enum class part : std::uint8_t { keep, send, receive, turn_tail, turn_head, end };

  /// Of this turn's message.
  [[nodiscard]] std::uint64_t message_bytes() const noexcept;

  detail::dissemination turn_;
  std::uint64_t bytes_;
  std::uint64_t ranks_;
  std::uint64_t rank_;
  bool in_place_;
  part part_ = part::keep;
  schedule::mark held_ = schedule::never;  ///< what there was when the round began is here
  schedule::mark came_ = schedule::never;
};

}  // namespace upwash::collective
