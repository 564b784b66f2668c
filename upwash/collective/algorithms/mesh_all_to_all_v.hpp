// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block for each rank, all of different lengths. Idea: as mesh_all_to_all.
// Those in between do not know the lengths, so a message tells in its header where its blocks end.
// One longer than `inline_bytes` sends its data behind, once the receiver has made room. Cost: as
// mesh_all_to_all, a second message for each long one, and 8 bytes a block, but for the last phase,
// where both ends know the lengths. Restrictions: not in place. Source: Kumar 2005, 3.1.2.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct mesh_v_parameters {
  int dimensions = 3;  ///< 1 to 4; of small teams fewer (grid::near_cube)
  std::uint32_t inline_bytes = 4096;
  int row = 0;  ///< of two dimensions the first has this size, some ranks; 0: near a cube
};

/// Takes four arrays with a word a rank, of bytes: given(0): lengths of the blocks for each rank,
/// given(1): their offsets in the input, given(2): lengths of those from each rank, given(3): their
/// offsets in the output. About three slots a rank. Throws `error` (argument) where these would be
/// too many; its steps throw argument, without the arrays, and fault, where it sees that a pair's
/// ends do not agree on the length.
[[nodiscard]] schedule::generator mesh_all_to_all_v(int ranks, int rank, mesh_v_parameters chosen);

}  // namespace upwash::collective
