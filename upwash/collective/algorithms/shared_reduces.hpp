// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the combination of all ranks' vectors, for one root or for all, between ranks that share
// memory. Each rank combines one segment of all vectors, in rank order: the operator need not
// commute. Any P.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct shared_segments_call {
  static constexpr int all = -1;

  int ranks = 1;
  int rank = 0;
  int root = all;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 1;
  bool in_place = false;
};

/// Idea: all ranks lay their vectors in shared scratch; each combines one segment of all of them;
/// the root, or all, copy the segments together. Cost: two rounds; 3 m bytes touched a rank,
/// instead of P m with one round. Restrictions: shared memory. Source: Nishtala et al. 2009,
/// collectives on shared memory; Rabenseifner 2004 for the two halves.
[[nodiscard]] schedule::generator shared_segments(const shared_segments_call& of);

/// Returns the shared scratch needed: the vector, and after it the segment that its owner combines.
[[nodiscard]] std::uint64_t shared_segments_bytes(int ranks, std::uint64_t bytes,
                                                  std::uint32_t element_bytes) noexcept;

struct peer_segments_call {
  int ranks = 1;
  int rank = 0;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t piece_bytes = 0;  ///< fetched at a time; rounded to whole elements
  bool in_place = false;
  /// Factor for data from a peer's buffer: only for pricing, never for a run.
  std::uint64_t fetch_weight = 1;
};

/// For long vectors, at all ranks. Idea: each rank combines a segment of all vectors directly from
/// their owners' buffers, in pieces that stay in the cache. Then all ranks copy the segments. Cost:
/// two rounds; 2 m bytes copied and m combined a rank. Restrictions: shared memory. Source:
/// Rabenseifner 2004 for the two halves; Jin et al. 2005 for copies out of peers' buffers.
[[nodiscard]] schedule::generator peer_segments(const peer_segments_call& of);

}  // namespace upwash::collective
