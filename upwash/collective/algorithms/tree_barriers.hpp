// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: no rank leaves before all have entered. Any P, any root, trees of any shape.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: up a tree each rank reports the arrival of its subtree; down the tree the arrival of all
/// is announced. Cost: 2(P-1) empty messages, twice the tree's depth of them consecutive. Source:
/// Nishtala et al. 2009, barrier (tree algorithm).
[[nodiscard]] schedule::generator tree_barrier(int ranks, int rank, int root,
                                               const model::tree_shape& shape);

enum class signalling : std::uint8_t {
  push,  ///< increments the other's counter, which the other polls
  pull,  ///< increments the own counter, which the other polls
};

struct signal_tree {
  model::tree_shape shape{};
  signalling arrival = signalling::push;
  signalling release = signalling::push;
};

/// In shared memory. Idea: up a tree and down again by counters. Cost: P-1 signals each way (a
/// pulled release: one of each rank with children), two counters a rank; without shared memory a
/// poll is a message round trip. Source: Nishtala et al. 2009, barrier (tree algorithm).
[[nodiscard]] schedule::generator signal_tree_barrier(int ranks, int rank, int root,
                                                      const signal_tree& chosen);

}  // namespace upwash::collective
