// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of m bytes for each rank. Idea: in phase k a rank of a grid sends
// each rank of its line of dimension k one message with all blocks for that rank's share of the
// destinations; ranks below holes replace these. Cost: in three dimensions 3(cbrt P - 1) messages
// of cbrt(P)^2 m bytes and 3 P m bytes copied, instead of P-1 messages of m bytes; in one dimension
// the direct exchange. Restrictions: not in place. Source: Kumar 2005, 3.1.2, equation 3.6.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct mesh_parameters {
  int dimensions = 3;  ///< 1 to 4; small teams use fewer (grid::near_cube)
  /// One step copies all data of a message, as if it were contiguous. Only to price large teams,
  /// not to run.
  bool whole_messages = false;
  int row = 0;  ///< size of the first of two dimensions, in ranks; 0: near a cube
};

/// Input and output hold `bytes` for, and from, each rank in order.
[[nodiscard]] schedule::generator mesh_all_to_all(int ranks, int rank, std::uint64_t bytes,
                                                  mesh_parameters chosen);

}  // namespace upwash::collective
