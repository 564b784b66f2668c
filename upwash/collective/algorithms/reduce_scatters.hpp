// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: block i of the combination of all ranks' vectors, at rank i. The input holds all blocks,
// the output the rank's own. Any P.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: each block travels round the ring, is combined with each rank's own on its way, and ends
/// at its owner. Cost: P-1 messages a rank, the fewest bytes possible; the time of P-1 messages of
/// the longest block. Restrictions: commutative operators. Source: Patarasuk and Yuan 2009, the
/// first half.
[[nodiscard]] schedule::generator ring_reduce_scatter(const blocks& data, int rank);

/// Idea: each block goes directly to its owner, in stage i to the rank at distance i. Blocks of
/// lower ranks arrive first, from the nearest on, then those of higher ranks, from the farthest on.
/// Each rank combines the two groups separately and so keeps the order: the operator need not
/// commute. Cost: P-1 messages a rank. Source: Thakur, Rabenseifner and Gropp 2005, pairwise
/// exchange.
[[nodiscard]] schedule::generator pairwise_reduce_scatter(const blocks& data, int rank);

/// For blocks of `bytes` each. Idea: a rank exchanges halves of the remaining data with the vertex
/// in the other half of the cube, and combines. Ranks beyond the cube work through a vertex. Cost:
/// log2 P messages, (P-1) m bytes a rank; one or two of up to P m bytes more beyond the cube.
/// Restrictions: commutative operators. Source: Thakur, Rabenseifner and Gropp 2005, recursive
/// halving.
[[nodiscard]] schedule::generator halving_reduce_scatter(int ranks, int rank, std::uint64_t bytes);

}  // namespace upwash::collective
