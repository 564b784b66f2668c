// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Idea: up a tree each rank tells that its subtree
// has arrived, down the tree that all have. Cost: 2(P-1) messages of no bytes, twice the tree's
// depth of them one behind the other. Restrictions: none; any shape and root. Source: Nishtala et
// al. 2009, barrier (tree algorithm).
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

class tree_barrier {
 public:
  tree_barrier(int ranks, int rank, int root, const model::tree_shape& shape)
      : tree_(shape, ranks, root, rank),
        down_edge_(static_cast<std::uint32_t>(model::tree_place::widest(shape, ranks))) {}

  bool next(schedule::step& out, schedule::tape& on);
  [[nodiscard]] std::uint32_t window() const noexcept { return schedule::milestone::reach; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  enum class phase : std::uint8_t { gather, hear, release };

  bool release(schedule::step& out, schedule::tape& on);

  model::tree_place tree_;
  std::uint32_t down_edge_;  ///< those up: which child
  int child_ = 0;
  phase phase_ = phase::gather;
  schedule::milestone here_;  ///< all that was to come has
};

}  // namespace upwash::collective
