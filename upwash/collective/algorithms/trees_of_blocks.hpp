// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: block r of the root's vector at rank r, or all ranks' blocks at the root in the order of
// ranks. Any P, any root, trees of any shape. Blocks of different lengths: rooted_v.hpp.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: each rank of a tree gets the blocks of its subtree at once and forwards those of its
/// children's subtrees. Cost: P-1 messages (one more if a subtree of the root wraps around after
/// the last rank), as deep as the tree; a block, of `bytes`, travels once a level. Leaves need no
/// scratch. Source: Nishtala et al. 2009, trees.
[[nodiscard]] schedule::generator tree_scatter(int ranks, int rank, int root, std::uint64_t bytes,
                                               const model::tree_shape& shape);

/// Idea: each rank of a tree collects the blocks of its subtree and sends them up at once. Cost,
/// source: as tree_scatter.
[[nodiscard]] schedule::generator tree_gather(int ranks, int rank, int root, std::uint64_t bytes,
                                              const model::tree_shape& shape);

}  // namespace upwash::collective
