// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Any P, any root, trees of any shape.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: up a tree each rank tells that its subtree has arrived, down the tree that all have. Cost:
/// 2(P-1) messages of no bytes, twice the tree's depth of them one behind the other. Source:
/// Nishtala et al. 2009, barrier (tree algorithm).
[[nodiscard]] schedule::generator tree_barrier(int ranks, int rank, int root,
                                               const model::tree_shape& shape);

enum class signalling : std::uint8_t {
  push,  ///< counts up the other's counter, who watches his own
  pull,  ///< counts up one's own, which the other watches
};

struct signal_tree {
  model::tree_shape shape{};
  signalling arrival = signalling::push;
  signalling release = signalling::push;
};

/// In common memory. Idea: up a tree and down again by counters. Cost: P-1 signals each way (a
/// pulled release: one of each rank with children), two counters a rank; without common memory a
/// look is a message there and back. Source: Nishtala et al. 2009, barrier (tree algorithm).
[[nodiscard]] schedule::generator signal_tree_barrier(int ranks, int rank, int root,
                                                      const signal_tree& chosen);

}  // namespace upwash::collective
