// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: rank r gets x0 op x1 op ... op xr; in an exclusive scan only up to x(r-1). The operator
// need not commute: order is kept. Any P.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: a chain; each rank combines the result of the previous rank with its own, and sends it on.
/// Cost: one message of n bytes a rank, P-1 rounds. The baseline of scans.
[[nodiscard]] schedule::generator linear_scan(int ranks, int rank, std::uint64_t bytes,
                                              bool in_place);

/// Idea: in round k a rank sends its partial result to the rank at distance 2^k, and prepends the
/// one from 2^k before. Cost: ceil(log2 P) rounds, a message of n bytes in each. Source: Hillis and
/// Steele 1986.
[[nodiscard]] schedule::generator doubling_scan(int ranks, int rank, std::uint64_t bytes,
                                                bool in_place);

/// The output of rank 0 does not change. Idea: each rank sends its vector to the next, and all
/// except rank 0 scan the received ones. Cost: 1 + ceil(log2 (P-1)) rounds, a message of n bytes in
/// each. Source: Hillis and Steele 1986, shifted by one rank.
[[nodiscard]] schedule::generator doubling_exclusive_scan(int ranks, int rank, std::uint64_t bytes,
                                                          bool in_place);

}  // namespace upwash::collective
