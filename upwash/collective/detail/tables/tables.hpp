// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithms by the shape of their collectives, a table each: parameters, then rows.
#pragma once

#include <cstdint>

#include "upwash/collective/registry.hpp"

namespace upwash::collective::detail {

/// Larger vectors than any memory, and what counts of bytes may still be added to.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48U;
inline constexpr std::uint64_t most_ranks = (std::uint64_t{1} << 31U) - 1;

inline constexpr model::parameter segment_parameter{
    "segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once", model::trial::sizes};

/// How many times the bytes count that a rank reads out of a peer's buffer, to be priced. Measured:
/// a byte of private memory, whose pages a system maps or which two processes copy, takes three
/// times as long as one of scratch; ranks of one process read it as their own.
[[nodiscard]] inline std::uint64_t fetch_weight(const problem& call) noexcept {
  return call.processes == 1 ? 1 : 3;
}
/// The same out of a member's shared scratch. Measured: what is longer is not in the owner's cache
/// any more, and takes twice as long.
[[nodiscard]] constexpr std::uint64_t scratch_weight(std::uint64_t laid_out) noexcept {
  return laid_out <= std::uint64_t{768} << 10U ? 1 : 2;
}

void add_barriers(registry& to);
void add_rooted(registry& to);    ///< broadcast, scatter, gather, reduce
void add_composed(registry& to);  ///< broadcast
void add_all_gathers(registry& to);
void add_exchanges(registry& to);  ///< all-to-all
void add_many_to_many(registry& to);
void add_uneven(registry& to);         ///< blocks of different lengths, but for all-to-all
void add_in_network(registry& to);     ///< what switches carry out
void add_reductions(registry& to);     ///< all-reduce, reduce-scatter, scans
void add_shared_memory(registry& to);  ///< one round between ranks that share memory
void add_two_level(registry& to);      ///< inside groups and between them: barrier, all-reduce
void add_hierarchical(registry& to);   ///< inside nodes by their memory, between by messages
void add_trees(registry& to);          ///< what goes up a tree and down again: barrier, all-reduce

}  // namespace upwash::collective::detail
