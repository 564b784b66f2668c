// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the blocks of all ranks at the root, in the order of ranks. Idea: each rank of a tree
// collects the blocks of its subtree and hands them up at once. Cost: P-1 messages (one more where
// a subtree of the root's goes on behind the last rank), as deep as the tree; a block travels once
// a level. Restrictions: none; leaves need no scratch. Source: Nishtala et al. 2009, trees.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/subtree_blocks.hpp"
#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

class tree_gather {
 public:
  /// `bytes` a block.
  tree_gather(int ranks, int rank, int root, std::uint64_t bytes, const model::tree_shape& shape)
      : tree_(shape, ranks, root, rank),
        bytes_(bytes),
        second_edge_(static_cast<std::uint32_t>(model::tree_place::widest(shape, ranks))) {}

  bool next(schedule::step& out, schedule::tape& on);
  /// Two sends, at most, behind as many steps as a step can name.
  [[nodiscard]] std::uint32_t window() const noexcept {
    return schedule::step::most_dependencies + 1;
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    const bool collects = !tree_.is_root() && !tree_.is_leaf();
    return collects ? static_cast<std::uint64_t>(tree_.size()) * bytes_ : 0;
  }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { receive, keep, send, end };

  void receive(schedule::step& out, schedule::tape& on);
  void keep(schedule::step& out, schedule::tape& on);
  void send(schedule::step& out, schedule::tape& on);

  model::tree_place tree_;
  std::uint64_t bytes_;
  std::uint32_t second_edge_;  ///< of the one subtree in two parts; the others: which child
  int child_ = 0;
  bool in_second_ = false;  ///< of the two parts of a subtree's blocks
  phase phase_ = phase::receive;
  schedule::mark kept_ = schedule::never;
};

}  // namespace upwash::collective
