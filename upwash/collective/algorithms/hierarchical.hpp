// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: collectives of ranks on several nodes, any number on each, in any placement; ranks of a
// node share memory. Members meet at leaders of their node, by counters and shared scratch
// (needs::inside_nodes). Leaders exchange by a message algorithm; members take the result from
// them. Data longer than the scratch is cut into pieces.
#pragma once

#include <cstdint>

#include "upwash/model/node_map.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct hierarchical_call {
  const model::node_map* nodes = nullptr;  ///< several nodes; outlives the schedule
  int rank = 0;
  std::uint64_t bytes = 0;  ///< of the vector, or of a block
  std::uint64_t element_bytes = 1;
  bool in_place = false;
  bool given = false;  ///< blocks have their own lengths, which all ranks know (blocks::as_given)
  std::uint64_t scratch_bytes = 0;  ///< of a node's member; at least an element of each block
};

/// A rooted call. The root is the leader of its node.
struct rooted_by_nodes {
  hierarchical_call of;
  int root = 0;
  int radix = 2;  ///< of the k-nomial tree among leaders
};

/// The algorithm among leaders.
enum class leaders_reduce : std::uint8_t { by_doubling, by_halves, by_ring };
enum class leaders_gather : std::uint8_t { by_dissemination, by_ring };

/// Idea: members increment their leader's counter; leaders run a dissemination barrier; members
/// poll their leader's second counter. Cost: a signal and a poll a member, ceil(log_k N) (k-1)
/// messages a node for N nodes. Restrictions: none. Source: Nishtala et al. 2009, leverage shared
/// memory.
[[nodiscard]] schedule::generator hierarchical_barrier(const hierarchical_call& of, int radix);

/// Idea: the first `leaders` members of a node each lead for a part of the vector. A leader
/// combines its part of all vectors of its node, then with the leaders of the same part on other
/// nodes; all members take the result from it. Cost of a piece: between nodes the messages and
/// bytes of an all-reduce of N ranks, a node; at a leader m S / leaders bytes combined for S
/// members, 2 m copied at each member. Restrictions: each node has at least that many members.
/// Operands stay in order if the nodes are in order (model::node_map::in_order) and the leaders'
/// algorithm keeps it. Source: Nishtala et al. 2009, leverage shared memory; several leaders:
/// Bayatpour et al. 2017.
[[nodiscard]] schedule::generator hierarchical_all_reduce(const hierarchical_call& of, int leaders,
                                                          leaders_reduce among);

/// Idea: members lay their blocks in their leader's scratch; leaders gather the blocks of all nodes
/// there; members copy all of them. Cost: between nodes the messages and bytes of an all-gather of
/// N ranks with blocks of whole nodes; P m bytes copied at each member. Restrictions: none. Source:
/// Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator hierarchical_all_gather(const hierarchical_call& of,
                                                          leaders_gather among);

/// Idea: the leader of each node (the root for its own) combines the vectors of its node. Leaders
/// then send theirs up a k-nomial tree to the root. Cost: N-1 messages, m S bytes combined at a
/// leader, m copied at each other member. Restrictions: as hierarchical_all_reduce, for `ordered`.
/// Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator hierarchical_reduce(const rooted_by_nodes& call, bool ordered);

/// Idea: leaders send the root's data down a tree, through their scratch. The other members of a
/// node copy it from there while it travels on. Cost: N-1 messages, as deep as the tree; m bytes
/// copied at each member, twice at the root. Restrictions: none. Source: Nishtala et al. 2009,
/// leverage shared memory.
[[nodiscard]] schedule::generator hierarchical_memory_broadcast(const rooted_by_nodes& call);

/// Idea: as that broadcast; leaders get the blocks of their subtrees at once. Cost: N-1 messages; P
/// m bytes copied at the root, m at each other member. Restrictions, source: the same.
[[nodiscard]] schedule::generator hierarchical_scatter(const rooted_by_nodes& call);

/// Idea: members lay their blocks in their leader's scratch; leaders send those of their subtrees
/// up at once. Cost, restrictions, source: as hierarchical_scatter.
[[nodiscard]] schedule::generator hierarchical_gather(const rooted_by_nodes& call);

enum class scan_reach : std::uint8_t { inclusive, exclusive };

/// Idea: members lay their vectors in the scratch of their node's first member. It combines them up
/// to each member and scans the sums of the nodes with the other nodes. Members combine the result
/// before their node with the one before them inside it. Cost: ceil(log2 N) + 1 messages of m bytes
/// at a leader, which combines m S bytes; m copied and m combined at each other member.
/// Restrictions: nodes follow each other in the order of ranks. Source: Nishtala et al. 2009,
/// leverage shared memory; Hillis and Steele 1986.
[[nodiscard]] schedule::generator hierarchical_scan(const hierarchical_call& of, scan_reach reach);

/// Idea: members lay their blocks for each other node in the scratch of the member that leads for
/// that node, and those for members of their own node in the scratch of these. Leaders exchange one
/// message with each node, in stage d with the node at distance d; members take their blocks on
/// arrival. The members of a node lead in turn, so they share the messages. Cost: N-1 messages a
/// node, of S S' m bytes between nodes of S and S' members; 2 P m bytes copied at each member.
/// Restrictions: none. Source: Nishtala et al. 2009, leverage shared memory; leaders by turns:
/// Kandalla et al. 2009, multi-leader.
[[nodiscard]] schedule::generator hierarchical_all_to_all(const hierarchical_call& of);

/// Idea: members lay their vectors in their scratch. The leader for a node combines its own node's
/// blocks for that node, and sends the result, in stage d to the node at distance d. Each member
/// combines the blocks for it from its node with the received ones. Cost: N-1 messages a node, of
/// S' m bytes to a node of S' members; at a member P m bytes copied, (S + N - 2) m combined, and
/// (S-1) S' m more for each node that it leads for. Restrictions: with `ordered`, nodes follow each
/// other in the order of ranks; blocks may have their own lengths, but not in place. Source:
/// Nishtala et al. 2009, leverage shared memory; Thakur, Rabenseifner and Gropp 2005, pairwise
/// exchange.
[[nodiscard]] schedule::generator hierarchical_reduce_scatter(const hierarchical_call& of,
                                                              bool ordered);

}  // namespace upwash::collective
