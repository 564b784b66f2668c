// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: rank r gets x0 op x1 op ... op xr, or, of an exclusive scan, only up to x(r-1). The
// operator need not commute: order is kept. Any P.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: a chain; each rank combines what comes from the rank before with its own, and hands it on.
/// Cost: one message of n bytes a rank, P-1 rounds. The baseline of scans.
[[nodiscard]] schedule::generator linear_scan(int ranks, int rank, std::uint64_t bytes,
                                              bool in_place);

/// Idea: in round k hand what is combined so far to the rank 2^k further, and put what comes from
/// 2^k before in front. Cost: ceil(log2 P) rounds, a message of n bytes in each. Source: Hillis and
/// Steele 1986.
[[nodiscard]] schedule::generator doubling_scan(int ranks, int rank, std::uint64_t bytes,
                                                bool in_place);

/// Rank 0 keeps what it has. Idea: each rank hands its own to the next, and all but rank 0 scan
/// what they got. Cost: 1 + ceil(log2 (P-1)) rounds, a message of n bytes in each. Source: Hillis
/// and Steele 1986, shifted by one rank.
[[nodiscard]] schedule::generator doubling_exclusive_scan(int ranks, int rank, std::uint64_t bytes,
                                                          bool in_place);

}  // namespace upwash::collective
