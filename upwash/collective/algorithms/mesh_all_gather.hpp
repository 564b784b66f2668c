// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: all ranks' blocks at all ranks. Idea: in phase d a rank of a grid sends all its blocks
// in one message to each rank of its line; ranks below holes replace these. Cost: 2 (sqrt P - 1)
// messages in two dimensions, 3 (cbrt P - 1) in three; (P-1) m bytes a rank; copies only at holes,
// to combine messages, up to P m bytes a phase. Any P. Source: Kumar 2005, 3.1.1 and 3.1.2,
// equations 3.3, 3.5, 3.7, 3.9.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// `bytes`: of a block. Small teams use fewer dimensions (grid::near_cube). In place: the rank's
/// own block is in the output already.
[[nodiscard]] schedule::generator mesh_all_gather(int ranks, int rank, std::uint64_t bytes,
                                                  int dimensions, bool in_place);

}  // namespace upwash::collective
