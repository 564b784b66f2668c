// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks, long ones, for which all links are to be busy all the
// time. The root copies its input to its output too unless the call is in place. Any P, any root.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: two binary trees over the other ranks, such that who has children in one has none in the
/// other; segments go down them in turn, so all send and receive at once. Cost: P-1 messages a
/// segment, but 2 sends for 2 receives a rank where one binary tree has 4: near to the full
/// bandwidth both ways, depth log2 P. `segment_bytes` 0: two segments. Source: Sanders, Speck and
/// Traeff 2009.
[[nodiscard]] schedule::generator double_tree_broadcast(int ranks, int rank, int root,
                                                        std::uint64_t bytes,
                                                        std::uint64_t segment_bytes, bool in_place);

/// Idea: cut them into P blocks, scatter those down a tree of this shape, then send blocks round a
/// ring; nobody gets again what its subtree had. Cost: a rank sends and receives less than 2n bytes
/// whatever P, in at most depth + P - 1 messages one behind the other. Source: Barnett et al. 1994;
/// Thakur, Rabenseifner and Gropp 2005.
[[nodiscard]] schedule::generator scatter_all_gather_broadcast(int ranks, int rank, int root,
                                                               std::uint64_t bytes,
                                                               const model::tree_shape& shape,
                                                               bool in_place);

}  // namespace upwash::collective
