// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block for each rank, all of different lengths. given(0) and given(1):
// lengths and offsets in the input of the blocks for each rank. given(2) and given(3): those of the
// blocks from each rank in the output, as for mesh_all_to_all_v. Not in place. Any P.
#pragma once

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// Idea: stage i exchanges with the ranks at distance i on both sides, or if `paired` with the rank
/// that differs by XOR i (P a power of two). A stage waits for the receives of `ahead` stages
/// before, at most `most_stages_ahead`; 0: for none. Cost: P-1 messages a rank, the fewest bytes
/// possible. Source: Kumar 2005, 4.2.1 and 4.2.2.
[[nodiscard]] schedule::generator staged_all_to_all_v(int ranks, int rank, bool paired, int ahead);
inline constexpr int most_stages_ahead = 16;

/// Idea: a block for the rank at distance d travels by the bits of d. In round r all blocks with
/// bit r set go to the rank at distance 2^r, their lengths first. Cost: 2 ceil(log2 P) messages a
/// rank; each block travels and is copied once for each set bit of d. Restrictions: none; needs
/// scratch for all forwarded blocks. Source: Bruck et al. 1997; of different lengths: Fan et al.
/// 2022.
[[nodiscard]] schedule::generator bruck_all_to_all_v(int ranks, int rank);

}  // namespace upwash::collective
