// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block for each rank, all of different lengths. given(0) and given(1):
// bytes of the blocks for each rank and where they begin in the input, given(2) and given(3): those
// from each rank in the output, as for mesh_all_to_all_v. Not in place. Any P.
#pragma once

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: stage i exchanges with the rank i further and the rank i before, or where `paired` with
/// the rank that differs by XOR i (P a power of two). A stage waits for what comes `ahead` stages
/// before, at most `most_stages_ahead`; 0: for none. Cost: P-1 messages a rank, the least bytes
/// possible. Source: Kumar 2005, 4.2.1 and 4.2.2.
[[nodiscard]] schedule::generator staged_all_to_all_v(int ranks, int rank, bool paired, int ahead);
inline constexpr int most_stages_ahead = 16;

/// Idea: a block for the rank d further travels by the bits of d: in round r all that have bit r
/// set go to the rank 2^r further, their lengths first. Cost: 2 ceil(log2 P) messages a rank; each
/// block travels and is copied as often as d has bits. Restrictions: none; scratch for all that
/// passes through. Source: Bruck et al. 1997; of different lengths: Fan et al. 2022.
[[nodiscard]] schedule::generator bruck_all_to_all_v(int ranks, int rank);

}  // namespace upwash::collective
