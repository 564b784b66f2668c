// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: any collective in shared memory. Idea: a sender lays its data out and signals. A
// receiver polls that counter and copies, or combines in rank order: from shared scratch, or from
// the buffer; the buffer's owner then waits for its readers. Cost: one round; P-1 polls and copies
// of m bytes (from buffers P-1 signals) at a reader. Restrictions: from buffers no all_to_all in
// place. Source: Nishtala et al. 2009, collectives on shared memory.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

enum class round_task : std::uint8_t {
  broadcast,
  scatter,
  gather,
  all_gather,
  all_to_all,
  reduce,
  all_reduce,
  reduce_scatter,
  scan,
  exclusive_scan,
};

/// The memory from which other ranks read a contribution.
enum class round_source : std::uint8_t { shared_scratch, buffer };

/// A call. `bytes`: of the vector, or of a block.
struct round_call {
  int ranks = 1;
  int rank = 0;
  int root = 0;
  std::uint64_t bytes = 0;
  bool in_place = false;  ///< at this rank; the same at all except in a reduce, in which the root
                          ///< decides
  /// Factor for data from a peer's buffer, or from scratch outside the caches: only for pricing,
  /// never for a run.
  std::uint64_t read_weight = 1;
};

[[nodiscard]] schedule::generator one_round(round_task what, round_source from,
                                            const round_call& of);

/// Returns the bytes that a member lays out for the others.
[[nodiscard]] std::uint64_t contributed_bytes(round_task what, int ranks, std::uint64_t bytes);

}  // namespace upwash::collective
