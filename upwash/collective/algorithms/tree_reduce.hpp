// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at the root. Idea: each rank combines what its
// children send, one after the other, with its own and hands it up a tree of any shape, segment by
// segment. Cost: P-1 messages a segment in all; at a rank a combination a child. Restrictions:
// commutative operators; else ordered: the tree's root is rank 0, which sends to the root, a
// message more. Source: Nishtala et al. 2009, trees.
#pragma once

#include <array>
#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class tree_reduce {
 public:
  struct parameters {
    model::tree_shape shape{};
    /// Rounded down to whole elements, to one at least; 0: one segment.
    std::uint64_t segment_bytes = 0;
    bool ordered = false;  ///< the operator need not commute
  };
  /// Which outputs there are.
  enum class result : std::uint8_t {
    at_root,   ///< other ranks' are not touched
    in_place,  ///< everybody's, which holds the rank's vector and then what its subtree makes of it
  };

  tree_reduce(int ranks, int rank, int root, std::uint64_t bytes, std::uint32_t element_bytes,
              const parameters& chosen, result where);

  bool next(schedule::step& out, schedule::tape& on);

  // One segment at a time, for schedules made of parts (sequence.hpp).

  /// The next step of this segment; false behind its last, and on to the next segment.
  bool next_of_segment(schedule::step& out, schedule::tape& on);
  /// Where the latest segment's result is complete, at the root; elsewhere from where on its place
  /// in the output is free.
  [[nodiscard]] schedule::mark have() const noexcept { return have_; }
  [[nodiscard]] bool ended() const noexcept { return segment_index_ == segments_; }

  /// No step waits for one of more than so many segments before.
  [[nodiscard]] std::uint32_t segments_back() const noexcept;
  [[nodiscard]] std::uint32_t window() const noexcept { return segments_ == 1 ? 8 : 24; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    return (slots_ + sums_) * segment_bytes_;
  }
  /// But for so many segments from so many children that edge numbers would run out.
  [[nodiscard]] bool edges_apart() const noexcept { return edges_apart_; }
  /// Their numbers are below this.
  [[nodiscard]] std::uint32_t edge_count() const noexcept { return segments_ * edges_a_segment_; }
  [[nodiscard]] std::uint64_t segment_bytes() const noexcept { return segment_bytes_; }
  /// Whole segments.
  [[nodiscard]] schedule::repetition repeats() const;
  void skip(std::uint64_t segments) noexcept {
    segment_index_ += static_cast<std::uint32_t>(segments);
  }

 private:
  static constexpr std::uint32_t most_slots = 4;
  enum class phase : std::uint8_t { begin, receive, combine, hand_up, cross, over };

  [[nodiscard]] bool crosses() const noexcept { return tree_.root() != root_; }
  [[nodiscard]] schedule::piece segment(schedule::buffer of) const noexcept;
  [[nodiscard]] schedule::piece contribution() const noexcept;
  [[nodiscard]] schedule::piece sum() const noexcept;
  [[nodiscard]] std::uint32_t edge(int index) const noexcept;
  void receive(schedule::step& out, schedule::tape& on);
  void combine(schedule::step& out, schedule::tape& on);
  [[nodiscard]] bool hand_up(schedule::step& out, schedule::tape& on);
  [[nodiscard]] bool cross(schedule::step& out, schedule::tape& on);

  model::tree_place tree_;
  int rank_;
  int root_;
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
  std::uint32_t segments_;
  std::uint32_t edges_a_segment_;
  std::uint32_t segment_index_ = 0;
  int child_ = 0;
  result where_;
  bool edges_apart_;
  phase phase_ = phase::begin;
  std::uint8_t slots_;  ///< of scratch, for what comes
  std::uint8_t sums_;   ///< of scratch, for what goes up
  std::uint8_t slot_ = 0;
  std::uint8_t sum_ = 0;
  schedule::mark summed_ = schedule::never;
  schedule::mark have_ = schedule::never;
  std::array<schedule::mark, most_slots> freed_{};  ///< the last that read the slot
  std::array<schedule::mark, 2> sent_{};            ///< the last that read the sum
};

}  // namespace upwash::collective
