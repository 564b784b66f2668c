// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: any collective in shared memory. Idea: who gives lays it out and counts so; who wants it
// looks at that counter and copies, or combines in rank order: from shared scratch, or from the
// buffer, whose owner waits for its readers. Cost: one round; P-1 looks and copies of m bytes (from
// buffers P-1 signals) at a reader. Restrictions: from buffers no all_to_all in place. Source:
// Nishtala et al. 2009, collectives on shared memory.
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

/// Where a contribution is read by the others.
enum class round_source : std::uint8_t { shared_scratch, buffer };

/// `bytes` of the vector, or of a block.
struct round_call {
  int ranks = 1;
  int rank = 0;
  int root = 0;
  std::uint64_t bytes = 0;
  bool in_place = false;  ///< at this rank; the same at all but in a reduce, where the root says
  /// What comes out of a peer's buffer, or out of scratch that the caches do not hold, counts so
  /// many times: to be priced, never to be run.
  std::uint64_t read_weight = 1;
};

[[nodiscard]] schedule::generator one_round(round_task what, round_source from,
                                            const round_call& of);

/// What a member lays out for the others.
[[nodiscard]] std::uint64_t contributed_bytes(round_task what, int ranks, std::uint64_t bytes);

}  // namespace upwash::collective
