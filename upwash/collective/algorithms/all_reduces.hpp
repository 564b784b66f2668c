// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, at all ranks. Others: reduce_broadcast,
// one_round.hpp, the segments in shared memory.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: P blocks travel round the ring, first combined on their way, then to all ranks. Cost:
/// 2(P-1) messages of n/P elements a rank, the fewest bytes possible. `elements` elements of
/// `element_bytes` each; any number, also fewer than ranks. Restrictions: commutative operators.
/// Any P. Source: Patarasuk and Yuan 2009.
[[nodiscard]] schedule::generator ring_all_reduce(int ranks, int rank, std::uint64_t elements,
                                                  std::uint64_t element_bytes, bool in_place);

enum class exchanges : std::uint8_t { whole_vectors, halves };

/// Idea: in stage i a rank combines with the vertex that differs in bit i, whole vectors or halves.
/// Halves are gathered at the end. Ranks beyond the cube work through a vertex. Cost: log2 P
/// messages of n bytes, or 2 log2 P of 2 n (P-1)/P together; one or two of n bytes more beyond the
/// cube. Neighbors combine first: the operator need not commute. Any P and number of elements.
/// Source: Thakur, Rabenseifner and Gropp 2005.
[[nodiscard]] schedule::generator cube_all_reduce(int ranks, int rank, std::uint64_t elements,
                                                  std::uint64_t element_bytes, exchanges what,
                                                  bool in_place);

/// Idea: in round r a rank sends its partial result to the ranks at distances 1 to k-1 times k^r;
/// it then covers k^(r+1) ranks. Cost: (k-1) log_k P messages of n bytes a rank. Restrictions: P is
/// a power of k (otherwise some contributions would count twice); a commutative operator. Ranks
/// combine in different orders, so with rounding their results may differ. Source: Hensgen, Finkel
/// and Manber 1988, with a payload.
[[nodiscard]] schedule::generator dissemination_all_reduce(int ranks, int rank, std::uint64_t bytes,
                                                           int radix, bool in_place);
[[nodiscard]] bool is_power_of(int radix, int ranks) noexcept;

}  // namespace upwash::collective
