// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks. They are sent from the root's output, to which it first
// copies its input unless the call is in place. Any P, any root.
#pragma once

#include <cstdint>

#include "upwash/model/tree.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct broadcast_tree {
  model::tree_shape shape{};
  std::uint64_t segment_bytes = 0;  ///< 0: one segment
};

/// Idea: the bytes travel down a tree of any shape in consecutive segments, into the largest
/// subtree first. Cost: P-1 messages a segment in total; the depth + segments - 1 of them are
/// consecutive. Wider trees are shallower but need more sends a rank. Source: Nishtala et al. 2009,
/// trees.
[[nodiscard]] schedule::generator tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                                                 const broadcast_tree& chosen, bool in_place);

struct broadcast_trees {
  model::tree_shape among_nodes{};
  model::tree_shape inside{};
  std::uint64_t segment_bytes = 0;  ///< 0: one segment
};

/// For nodes with ranks close to each other. Idea: one rank represents each node; the root
/// represents its own. The bytes travel down a tree among these ranks, then a tree in each node, of
/// any shapes, segment by segment. Cost: P-1 messages a segment in total, nodes - 1 of them between
/// nodes. Restrictions: a node's ranks are consecutive; only the last node may have fewer. Source:
/// Nishtala et al. 2009, "leverage shared memory".
[[nodiscard]] schedule::generator hierarchical_broadcast(int ranks, int rank, int root,
                                                         int ranks_per_node, std::uint64_t bytes,
                                                         const broadcast_trees& chosen,
                                                         bool in_place);

enum class among_groups : std::uint8_t { knomial, kary, scatter_all_gather, double_tree };
enum class inside_groups : std::uint8_t { knomial, flat, shared, single_copy };

struct broadcast_parts {
  among_groups outer{};
  inside_groups inner{};
  int ranks_per_group = 1;
  bool inside_nodes = false;      ///< only the ranks of a group load and store each other's memory
  std::uint64_t read_weight = 1;  ///< round_call::read_weight of the inner part
};

/// For groups (nodes, sockets) with ranks close to each other. Idea: one rank represents each
/// group; the root represents its own. Any broadcast runs among these ranks; when it is complete at
/// one of them, any other runs inside its group. Cost: of both. Restrictions: a group's ranks are
/// consecutive; only the last group may have fewer. Source: Nishtala et al. 2009, "leverage shared
/// memory".
[[nodiscard]] schedule::generator composed_broadcast(int ranks, int rank, int root,
                                                     std::uint64_t bytes,
                                                     const broadcast_parts& chosen, bool in_place);

}  // namespace upwash::collective
