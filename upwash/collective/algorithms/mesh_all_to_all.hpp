// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: each rank has a block of m bytes for each rank. Idea: in phase k a rank of a grid sends
// to each rank of its line of dimension k, in one message, all it holds for that one's share of the
// destinations; the ranks below holes stand in for them. Cost: in three dimensions 3(cbrt P - 1)
// messages of cbrt(P)^2 m bytes and 3 P m bytes copied, for P-1 messages of m bytes; in one the
// direct exchange. Restrictions: not in place. Source: Kumar 2005, 3.1.2 and equation 3.6.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct mesh_parameters {
  int dimensions = 3;  ///< 1 to 4; of small teams fewer (grid::near_cube)
  /// What goes into a message is copied by one step, as if it lay together: for the time that a
  /// large team takes, not to be run.
  bool whole_messages = false;
  int row = 0;  ///< of two dimensions the first has this size, some ranks; 0: near a cube
};

/// Input and output hold `bytes` for, and from, each rank in order.
[[nodiscard]] schedule::generator mesh_all_to_all(int ranks, int rank, std::uint64_t bytes,
                                                  mesh_parameters chosen);

}  // namespace upwash::collective
