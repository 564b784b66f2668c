// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: collectives of ranks on several nodes, any number on each, wherever they are; those of a
// node load and store each other's memory. They meet at its leaders, by counters and shared scratch
// (needs::inside_nodes); leaders exchange by an algorithm for messages; members take the result
// from there. What is longer than the scratch goes in pieces.
#pragma once

#include <cstdint>

#include "upwash/model/node_map.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct hierarchical_call {
  const model::node_map* nodes = nullptr;  ///< of several nodes; outlives the schedule
  int rank = 0;
  std::uint64_t bytes = 0;  ///< of the vector, or of a block
  std::uint64_t element_bytes = 1;
  bool in_place = false;
  bool given = false;  ///< blocks have lengths of their own, which all are told (blocks::as_given)
  std::uint64_t scratch_bytes = 0;  ///< of a node's member; at least for an element of each block
};

/// Its leader on the root's node is the root.
struct rooted_by_nodes {
  hierarchical_call of;
  int root = 0;
  int radix = 2;  ///< of the k-nomial tree among leaders
};

/// What leaders do among each other.
enum class leaders_reduce : std::uint8_t { by_doubling, by_halves, by_ring };
enum class leaders_gather : std::uint8_t { by_dissemination, by_ring };

/// Idea: members count up their leader's counter; leaders go through a dissemination barrier;
/// members watch their leader's second counter. Cost: a signal and a look a member, ceil(log_k N)
/// (k-1) messages a node for N nodes. Restrictions: none. Source: Nishtala et al. 2009, leverage
/// shared memory.
[[nodiscard]] schedule::generator hierarchical_barrier(const hierarchical_call& of, int radix);

/// Idea: the first `leaders` members of a node lead, each for a part of the vector: it combines
/// that part of all vectors of its node, then with the leaders of the same part, and all take it
/// from there. Cost, a piece: messages of as many bytes between nodes as an all-reduce of N ranks
/// has, a node; at a leader m S / leaders bytes combined for S members, 2 m copied at each member.
/// Restrictions: each node has so many members; operands stay in order where the nodes are
/// (model::node_map::in_order) and leaders keep it. Source: Nishtala et al. 2009, leverage shared
/// memory; several leaders: Bayatpour et al. 2017.
[[nodiscard]] schedule::generator hierarchical_all_reduce(const hierarchical_call& of, int leaders,
                                                          leaders_reduce among);

/// Idea: members lay their blocks in their leader's scratch; leaders gather the blocks of nodes
/// there; members take all. Cost: messages of as many bytes between nodes as an all-gather of N
/// ranks with blocks of whole nodes has; P m bytes copied at each member. Restrictions: none.
/// Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator hierarchical_all_gather(const hierarchical_call& of,
                                                          leaders_gather among);

/// Idea: the leader of each node, the root of its own, combines the vectors of its node; leaders
/// then hand theirs up a k-nomial tree to the root. Cost: N-1 messages, m S bytes combined at a
/// leader, m copied at each other member. Restrictions: as hierarchical_all_reduce, for `ordered`.
/// Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator hierarchical_reduce(const rooted_by_nodes& call, bool ordered);

/// Idea: leaders hand what the root has down a tree, through their scratch, whence their mates take
/// it while it goes on. Cost: N-1 messages, as deep as the tree; m bytes copied at each member,
/// twice at the root. Restrictions: none. Source: Nishtala et al. 2009, leverage shared memory.
[[nodiscard]] schedule::generator hierarchical_memory_broadcast(const rooted_by_nodes& call);

/// Idea: as that broadcast; leaders get the blocks of their subtrees at once. Cost: N-1 messages;
/// P m bytes copied at the root, m at each other member. Restrictions, source: the same.
[[nodiscard]] schedule::generator hierarchical_scatter(const rooted_by_nodes& call);

/// Idea: members lay their blocks in the scratch of their leader; leaders hand those of their
/// subtrees up at once. Cost, restrictions, source: as hierarchical_scatter.
[[nodiscard]] schedule::generator hierarchical_gather(const rooted_by_nodes& call);

enum class scan_reach : std::uint8_t { inclusive, exclusive };

/// Idea: members lay their vectors in the scratch of their node's first, which combines them up to
/// each member and scans the sums of nodes with those of other nodes; members combine what is
/// before their node with what is before them in it. Cost: ceil(log2 N) + 1 messages of m bytes at
/// a leader, where m S bytes are combined; m copied and m combined at each other member.
/// Restrictions: nodes follow each other in the order of ranks. Source: Nishtala et al. 2009,
/// leverage shared memory; Hillis and Steele 1986.
[[nodiscard]] schedule::generator hierarchical_scan(const hierarchical_call& of, scan_reach reach);

/// Idea: members lay their blocks for each other node in the scratch of who leads for that node,
/// and those for mates in the mates'; leaders exchange one message with each node, in stage d with
/// the node d further, and members take theirs as they come. The members of a node lead in turn, so
/// they share the messages. Cost: N-1 messages a node, of S S' m bytes between nodes of S and S'
/// members; 2 P m bytes copied at each member. Restrictions: none. Source: Nishtala et al. 2009,
/// leverage shared memory; leaders by turns: Kandalla et al. 2009, multi-leader.
[[nodiscard]] schedule::generator hierarchical_all_to_all(const hierarchical_call& of);

/// Idea: members lay their vectors in their scratch; who leads for a node combines what those of
/// its own node have for it, and sends that, in stage d to the node d further; each member combines
/// the blocks for it of its node with those that come. Cost: N-1 messages a node, of S' m bytes to
/// a node of S' members; at a member P m bytes copied, (S + N - 2) m combined, and (S-1) S' m more
/// for each node that it leads for. Restrictions: with `ordered`, nodes follow each other in the
/// order of ranks; blocks may have lengths of their own, but not in place. Source: Nishtala et al.
/// 2009, leverage shared memory; Thakur, Rabenseifner and
/// Gropp 2005, pairwise exchange.
[[nodiscard]] schedule::generator hierarchical_reduce_scatter(const hierarchical_call& of,
                                                              bool ordered);

}  // namespace upwash::collective
