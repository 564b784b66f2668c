// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gather and scatter of blocks of different lengths, all of which the root knows, and every other
// rank its own. Any P, any root.
#pragma once

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: each block straight to the root. Cost: P-1 messages at the root, the least bytes possible.
[[nodiscard]] schedule::generator direct_gather_v(const blocks& at_root, int root, int rank);
/// Idea: each block straight from the root. Cost: as above.
[[nodiscard]] schedule::generator direct_scatter_v(const blocks& at_root, int root, int rank);

/// Idea: each rank of a tree collects the blocks of its subtree and hands them up at once. Who does
/// not know their lengths is told them first, subtree by subtree. Cost: 2 (P-1) messages at most,
/// as deep as the tree twice; a block travels and is copied once a level, its length (8 bytes) as
/// well. Source: Nishtala et al. 2009, trees.
[[nodiscard]] schedule::generator tree_gather_v(const blocks& at_root, int root, int rank,
                                                const model::tree_shape& shape);
/// Idea: each rank of a tree gets the blocks of its subtree, behind their lengths, and hands on
/// those of its children. Cost and source: as above.
[[nodiscard]] schedule::generator tree_scatter_v(const blocks& at_root, int root, int rank,
                                                 const model::tree_shape& shape);

}  // namespace upwash::collective
