// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. The input is the rank's block; in place it is in the
// output already. Others: direct_exchange.hpp, mesh_all_gather.hpp, one_round.hpp.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: in round r a rank has the blocks of the next k^r ranks, its own included. It gets further
/// blocks from the ranks at distances 1 to k-1 times k^r. Blocks are stored from the rank's own on,
/// and rotated into place at the end. Cost: (k-1) ceil(log_k P) messages at most, the fewest bytes
/// possible, all bytes copied once more. Any P and lengths. Source: Bruck et al. 1997.
[[nodiscard]] schedule::generator dissemination_all_gather(const blocks& data, int rank, int radix,
                                                           bool in_place);

/// For blocks of different lengths, which all ranks know. Idea: each block goes directly from its
/// owner to every rank, the next one first. Cost: P-1 messages a rank, the fewest bytes possible.
[[nodiscard]] schedule::generator direct_all_gather_v(const blocks& data, int rank, bool in_place);

/// For blocks of different lengths. Idea: in each of P-1 rounds a rank forwards the received block
/// to the next rank. Cost: P-1 messages a rank, the fewest bytes possible; the time of P-1 messages
/// of the longest block. Source: Thakur, Rabenseifner and Gropp 2005.
[[nodiscard]] schedule::generator ring_all_gather_v(const blocks& data, int rank, bool in_place);

/// Idea: ranks form partitions of k. A rank sends its block to the k-1 others of its partition
/// (rank XOR d), then to the next partition (rank + k), and gets the next block from the previous
/// one: k-1 of k messages stay near. Every `pacing` messages a barrier keeps the ranks in step (the
/// source has 1, and k as "less barriers"); 0: none. Cost: P-1 messages of `bytes` a rank.
/// Restrictions: k becomes `k_prefix_partition`; for odd P 1, the ring. Source: Kumar 2005, 4.3.3
/// and 4.4, equation 4.5.
[[nodiscard]] schedule::generator k_prefix_all_gather(int ranks, int rank, std::uint64_t bytes,
                                                      std::uint64_t k, std::uint64_t pacing,
                                                      bool in_place);

/// Returns the largest power of two that divides both k and the ranks.
[[nodiscard]] int k_prefix_partition(int ranks, std::uint64_t k) noexcept;

/// Idea: a rank sends its block to the k-1 ranks around it and to the rank at distance k. The block
/// from the rank k before takes the same paths next. The remaining P modulo k blocks come directly
/// from their owners in the first iteration. Cost: P-1 messages of `bytes` a rank. Any P, k >= 1;
/// 1: a ring. Source: Kumar 2005, 4.3.4, equation 4.6.
[[nodiscard]] schedule::generator k_shift_all_gather(int ranks, int rank, std::uint64_t bytes,
                                                     std::uint64_t k, bool in_place);

/// Idea: a rank exchanges with one neighbor, then alternately with the other and this one, each
/// time the two latest blocks. All messages stay between neighbors. Cost: P/2 messages, (P-1) m
/// bytes a rank. Restrictions: an even number of ranks, or one. Source: Chen et al. 2005, neighbor
/// exchange.
[[nodiscard]] schedule::generator neighbor_exchange_all_gather(int ranks, int rank,
                                                               std::uint64_t bytes, bool in_place);

[[nodiscard]] constexpr bool neighbor_exchange_serves(int ranks) noexcept {
  return ranks == 1 || ranks % 2 == 0;
}

/// Idea: in stage i a rank exchanges all its blocks with the vertex that differs in bit i. In the
/// last `zeta` dimensions it sends them to the whole subcube at once. Ranks beyond the cube work
/// through a vertex. Cost: log2 P - zeta + 2^zeta - 1 messages, (P-1) m bytes a rank, not copied;
/// beyond a cube up to 2 (P-1) m, and a message of P m bytes more. Any P; `zeta` 0 to
/// `most_direct_dimensions`. Source: Kumar 2005, 3.1.3 and 3.1.5, equations 3.11, 3.13 and 3.16.
[[nodiscard]] schedule::generator hypercube_all_gather(int ranks, int rank, std::uint64_t bytes,
                                                       int zeta, bool in_place);
inline constexpr int most_direct_dimensions = 6;

}  // namespace upwash::collective
