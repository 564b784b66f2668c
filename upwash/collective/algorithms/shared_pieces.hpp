// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: collectives in shared memory with more data than the shared scratch holds. Idea: the
// data goes through it in pieces, which are read while they are in the cache. Restrictions: shared
// memory, scratch for a few pieces. Source: Nishtala et al. 2009, collectives on shared memory.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/one_round.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct pieces_call {
  round_call of;
  std::uint32_t element_bytes = 1;
  std::uint64_t piece_bytes = 0;  ///< maximum; whole elements, at least one
};

/// Broadcast, gather, all_gather, reduce, all_reduce. Idea: in turn t a member takes or combines
/// piece t - 1 of all, takes the combined piece t - 2, lays out its piece t, and increments its
/// counter. Members that take from each other wait for each other's counters, so there is one wait
/// a piece. Cost: ceil(m/s) + 1 rounds for pieces of s bytes, one more if vectors are combined; the
/// bytes of one_round or shared_segments.
[[nodiscard]] schedule::generator shared_pieces(round_task what, const pieces_call& call);

/// All_to_all. Idea: in turn t the ranks i and (t - i) mod P exchange their blocks. Pieces of a
/// block go through four places; each is reused when its reader has signalled. Copied data is thus
/// contiguous, and only two ranks wait for each other. In place, too. Cost: P ceil(m/s) turns; 2 P
/// m bytes copied a rank.
[[nodiscard]] schedule::generator shared_pairs(const pieces_call& call);

/// Returns the largest pieces, of whole elements, that fit into `scratch_bytes` of a member's
/// scratch; 0: none do.
[[nodiscard]] std::uint64_t largest_piece(round_task what, int ranks, std::uint32_t element_bytes,
                                          std::uint64_t scratch_bytes) noexcept;

}  // namespace upwash::collective
