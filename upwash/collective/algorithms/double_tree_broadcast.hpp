// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks, long ones. Idea: two binary trees over the other ranks,
// such that who has children in one has none in the other; segments go down them in turn, so all
// send and receive at once. Cost: (P-1) messages a segment, but 2 sends for 2 receives a rank where
// one binary tree has 4: near to the full bandwidth both ways, depth log2 P. Restrictions: none.
// Source: Sanders, Speck and Traeff 2009.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class double_tree_broadcast {
 public:
  /// `segment_bytes` 0: two segments.
  double_tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                        std::uint64_t segment_bytes, bool in_place);

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return 2; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  /// Two segments, one down each tree.
  [[nodiscard]] schedule::repetition repeats() const noexcept;
  void skip(std::uint64_t rounds) noexcept {
    segment_index_ += 2 * static_cast<std::uint32_t>(rounds);
  }

 private:
  enum class phase : std::uint8_t { receive, lower, upper };

  /// Neighbours in the tree of this segment, as ranks; -1: none.
  struct links {
    int parent = -1;
    int lower = -1;
    int upper = -1;
  };
  [[nodiscard]] links links_in(bool second) const noexcept;
  [[nodiscard]] int rank_at(int place, bool second) const noexcept;
  bool receive(schedule::step& out, schedule::tape& on);
  void send(schedule::step& out, schedule::tape& on, int to);
  [[nodiscard]] schedule::piece segment() const noexcept;

  int ranks_;
  int root_;
  int position_;  ///< counted from the root on
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
  std::uint32_t segments_;
  std::uint32_t segment_index_ = 0;
  bool in_place_;
  phase phase_ = phase::receive;
  links here_[2];
  schedule::mark have_ = schedule::never;
};

}  // namespace upwash::collective
