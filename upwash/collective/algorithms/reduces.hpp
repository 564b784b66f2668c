// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at the root or at all ranks. Any P, any root.
// Vectors are cut at whole elements.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct reduction_tree {
  model::tree_shape shape{};
  /// Rounded down to whole elements, at least one; 0: one segment.
  std::uint64_t segment_bytes = 0;
  bool ordered = false;  ///< the operator need not commute
};

/// At the root; other ranks' outputs do not change. Idea: each rank combines its children's data,
/// one after the other, with its own and sends the result up a tree of any shape, segment by
/// segment. Cost: P-1 messages a segment in total; one combination a child at a rank. Restrictions:
/// commutative operators. Otherwise `ordered`: the tree's root is rank 0, which sends the result to
/// the root, one message more. Source: Nishtala et al. 2009, trees.
[[nodiscard]] schedule::generator tree_reduce(int ranks, int rank, int root, std::uint64_t bytes,
                                              std::uint32_t element_bytes,
                                              const reduction_tree& chosen);

struct reduction_trees {
  model::tree_shape up{};
  model::tree_shape down{};
  std::uint64_t segment_bytes = 0;  ///< as in reduction_tree
};

/// At all ranks. Idea: vectors go up a tree to rank 0, combined on the way, and down a tree, each
/// of any shape. A segment goes down while the next ones come up. Cost: 2(P-1) messages a segment
/// in total, the depths of both trees in sequence: for short vectors. The operator need not
/// commute: order is kept. Source: Nishtala et al. 2009.
[[nodiscard]] schedule::generator reduce_broadcast(int ranks, int rank, std::uint64_t bytes,
                                                   std::uint32_t element_bytes,
                                                   const reduction_trees& chosen, bool in_place);

/// At the root, for long vectors. Idea: each of P blocks travels round the ring and is combined on
/// its way; its last rank sends it to the root. Cost: P messages of about n/P bytes a rank, so n
/// bytes for any P (a tree: n for each child); the root receives 2n. Restrictions: commutative
/// operators. `elements` at every rank: any number, also fewer than ranks. `in_place`: at the root
/// the result may overlap the input, so the root sends its own block before another arrives there;
/// the same at all ranks. Source: as Rabenseifner 2004, reduce-scatter and gather, with the ring of
/// Patarasuk and Yuan 2009.
[[nodiscard]] schedule::generator ring_reduce(int ranks, int rank, int root, std::uint64_t elements,
                                              std::uint64_t element_bytes, bool in_place = false);

}  // namespace upwash::collective
