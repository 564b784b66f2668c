// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: block r of the root at rank r. Idea: each rank of a tree gets the blocks of its subtree
// at once and hands on those of its children's. Cost: P-1 messages (one more where a subtree of
// the root's goes on behind the last rank), as deep as the tree; a block travels once a level.
// Restrictions: none; leaves need no scratch. Source: Nishtala et al. 2009, trees.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upwash/collective/algorithms/subtree_blocks.hpp"
#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

class tree_scatter {
 public:
  /// `bytes` a block.
  tree_scatter(int ranks, int rank, int root, std::uint64_t bytes, const model::tree_shape& shape)
      : tree_(shape, ranks, root, rank), bytes_(bytes), children_left_(tree_.children()) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept {
    return std::min(2 + static_cast<std::uint32_t>(tree_.children()), schedule::milestone::reach);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept {
    const bool passes_on = !tree_.is_root() && !tree_.is_leaf();
    return passes_on ? static_cast<std::uint64_t>(tree_.size()) * bytes_ : 0;
  }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { receive, send, keep, end };

  bool receive(schedule::step& out, schedule::tape& on);
  bool send(schedule::step& out, schedule::tape& on);
  void keep(schedule::step& out, schedule::tape& on);

  model::tree_place tree_;
  std::uint64_t bytes_;
  phase phase_ = phase::receive;
  int children_left_;
  bool in_second_ = false;  ///< of the two parts of a subtree's blocks
  schedule::milestone have_;
};

}  // namespace upwash::collective
