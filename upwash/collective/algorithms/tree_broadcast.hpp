// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks. Idea: they go down a tree of any shape in segments, one
// behind the other, into the largest subtree first. Cost: P-1 messages a segment in all, the
// tree's depth + segments - 1 of them one behind the other; wider trees: shallower, but more sends
// a rank. Restrictions: none. Source: Nishtala et al. 2009, trees.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

class tree_broadcast {
 public:
  struct parameters {
    model::tree_shape shape{};
    std::uint64_t segment_bytes = 0;  ///< 0: one segment
  };

  /// `bytes` from the root's output buffer (the root copies its input there unless in place).
  tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes, const parameters& chosen,
                 bool in_place);

  bool next(schedule::step& out, schedule::tape& on);

  // One segment at a time, for schedules made of parts (sequence.hpp).

  /// The next step of this segment; false behind its last, and on to the next segment.
  bool next_of_segment(schedule::step& out, schedule::tape& on);
  /// Before a segment: from where on it is in the root's output; elsewhere, from where on it may
  /// come.
  void enter(schedule::mark from) noexcept { from_ = from; }
  [[nodiscard]] schedule::mark have() const noexcept { return have_.at(); }
  [[nodiscard]] bool ended() const noexcept {
    return segment_index_ != 0 && segment_index_ * segment_bytes_ >= bytes_;
  }
  /// The outputs are not free on entry: each rank says by `enter` from when on.
  void place_nothing() noexcept { placed_ = false; }

  [[nodiscard]] std::uint32_t window() const noexcept {
    return 1 + std::min(static_cast<std::uint32_t>(tree_.children()), schedule::milestone::reach);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] int children() const noexcept { return tree_.children(); }
  /// Whole segments.
  [[nodiscard]] schedule::repetition repeats() const noexcept;
  void skip(std::uint64_t segments) noexcept {
    segment_index_ += static_cast<std::uint32_t>(segments);
  }

 private:
  [[nodiscard]] bool begin_segment(schedule::step& out, schedule::tape& on);
  [[nodiscard]] schedule::piece segment() const noexcept;

  model::tree_place tree_;
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
  bool copies_;
  bool placed_ = true;
  bool segment_open_ = false;
  std::uint32_t segment_index_ = 0;
  int children_left_ = 0;
  schedule::mark from_ = schedule::never;
  schedule::milestone have_;  ///< the segment is here
};

}  // namespace upwash::collective
