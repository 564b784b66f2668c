// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gather and scatter of blocks of different lengths. The root knows all lengths, every other rank
// only its own. Any P, any root.
#pragma once

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: each block goes directly to the root. Cost: P-1 messages at the root, the fewest bytes
/// possible.
[[nodiscard]] schedule::generator direct_gather_v(const blocks& at_root, int root, int rank);
/// Idea: each block comes directly from the root. Cost: as above.
[[nodiscard]] schedule::generator direct_scatter_v(const blocks& at_root, int root, int rank);

/// Idea: each rank of a tree collects the blocks of its subtree and sends them up at once. Ranks
/// that do not know the lengths receive them first, subtree by subtree. Cost: 2 (P-1) messages at
/// most, twice the tree's depth; a block travels and is copied once a level, and so does its length
/// (8 bytes). Source: Nishtala et al. 2009, trees.
[[nodiscard]] schedule::generator tree_gather_v(const blocks& at_root, int root, int rank,
                                                const model::tree_shape& shape);
/// Idea: each rank of a tree gets the blocks of its subtree, after their lengths, and forwards
/// those of its children. Cost and source: as above.
[[nodiscard]] schedule::generator tree_scatter_v(const blocks& at_root, int root, int rank,
                                                 const model::tree_shape& shape);

}  // namespace upwash::collective
