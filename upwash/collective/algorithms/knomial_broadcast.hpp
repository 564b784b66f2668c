// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks. Idea: a tree in which the rank r (relative to the root)
// hangs below r with its last non-zero digit, base k, cleared; the bytes go down in segments, one
// behind the other. Cost: P-1 messages a segment in all, depth ceil(log_k P) + segments - 1; a
// larger k: shallower, but more sends a rank. k = 2 is the binomial tree. Any P, k >= 2. Source:
// Nishtala et al. 2009, trees.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class knomial_broadcast {
 public:
  struct parameters {
    int radix = 2;
    std::uint64_t segment_bytes = 0;  ///< 0: one segment
  };

  /// `bytes` from the root's output buffer (the root copies its input there unless in place).
  knomial_broadcast(int ranks, int rank, int root, std::uint64_t bytes, parameters chosen,
                    bool in_place);

  bool next(schedule::step& out, schedule::tape& on);

  // One segment at a time, for schedules made of parts (sequence.hpp).

  /// The next step of this segment; false behind its last, and on to the next segment.
  bool next_of_segment(schedule::step& out, schedule::tape& on);
  /// At the root, before a segment: from where on it is in the output.
  void enter(schedule::mark have) noexcept { have_ = have; }
  [[nodiscard]] schedule::mark have() const noexcept { return have_; }
  [[nodiscard]] bool ended() const noexcept {
    return segment_index_ != 0 && segment_index_ * segment_bytes_ >= bytes_;
  }

  [[nodiscard]] std::uint32_t window() const noexcept;
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  /// Whole segments.
  [[nodiscard]] schedule::repetition repeats() const;
  void skip(std::uint64_t segments) noexcept {
    segment_index_ += static_cast<std::uint32_t>(segments);
  }

 private:
  [[nodiscard]] bool begin_segment(schedule::step& out, schedule::tape& on);
  [[nodiscard]] bool next_child();
  [[nodiscard]] schedule::piece segment() const noexcept;
  [[nodiscard]] int rank_of(std::int64_t relative) const noexcept;

  int ranks_;
  int root_;
  std::int64_t relative_;
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
  int radix_;
  std::int64_t reach_ = 1;  ///< the children lie below: relative + digit * k^i < relative + reach
  bool copies_;
  bool segment_open_ = false;
  std::uint32_t segment_index_ = 0;
  std::int64_t weight_ = 0;  ///< k^i of the child sent to last
  int digit_ = 0;
  schedule::mark have_ = schedule::never;  ///< the segment is here
};

}  // namespace upwash::collective
