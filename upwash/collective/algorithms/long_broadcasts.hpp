// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's long data at all ranks, with all links busy all the time. The root also
// copies its input to its output unless the call is in place. Any P, any root.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: two binary trees over the other ranks, arranged so that a rank with children in one has
/// none in the other. Segments go down them in turn, so all ranks send and receive at once. Cost:
/// P-1 messages a segment, but 2 sends for 2 receives a rank instead of 4 with one binary tree:
/// close to the full bandwidth both ways, depth log2 P. `segment_bytes` 0: two segments. Source:
/// Sanders, Speck and Traeff 2009.
[[nodiscard]] schedule::generator double_tree_broadcast(int ranks, int rank, int root,
                                                        std::uint64_t bytes,
                                                        std::uint64_t segment_bytes, bool in_place);

/// Idea: the data is cut into P blocks, scattered down a tree of this shape, and sent round a ring.
/// No rank receives a block that its subtree had. Cost: a rank sends and receives less than 2n
/// bytes for any P, in at most depth + P - 1 consecutive messages. Source: Barnett et al. 1994;
/// Thakur, Rabenseifner and Gropp 2005.
[[nodiscard]] schedule::generator scatter_all_gather_broadcast(int ranks, int rank, int root,
                                                               std::uint64_t bytes,
                                                               const model::tree_shape& shape,
                                                               bool in_place);

}  // namespace upwash::collective
