// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block for each rank, all of different lengths. Idea: as mesh_all_to_all;
// a message's header has the ends of its blocks, since ranks between do not know them. One longer
// than `inline_bytes` sends its data later, when the receiver has made room. Cost: as
// mesh_all_to_all, a second message for long ones, and 8 bytes a block except in the last phase, in
// which both ends know the lengths. Restrictions: not in place. Source: Kumar 2005, 3.1.2.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct mesh_v_parameters {
  int dimensions = 3;  ///< 1 to 4; small teams use fewer (grid::near_cube)
  std::uint32_t inline_bytes = 4096;
  int row = 0;  ///< size of the first of two dimensions, in ranks; 0: near a cube
};

/// Takes four arrays with a word a rank, in bytes. given(0): lengths of the blocks for each rank;
/// given(1): their offsets in the input; given(2): lengths of those from each rank; given(3): their
/// offsets in the output. Needs about three slots a rank. Throws `error` (argument) if these are
/// too many. Its steps throw argument without the arrays, and fault if they detect that a pair's
/// ends disagree on the length.
[[nodiscard]] schedule::generator mesh_all_to_all_v(int ranks, int rank, mesh_v_parameters chosen);

}  // namespace upwash::collective
