// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The solve on all ranks: rows in blocks, sums by all-reduces, and the direction put to every rank
// and told by a barrier before it is multiplied (Nishtala 2009, "Auto-tuned conjugate gradient").
#pragma once

#include <cstdint>
#include <vector>

#include "apps/cg/solver.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"

namespace cg {

/// How often one rank took part in something, and its time in it.
struct spent {
  std::uint64_t times = 0;
  upwash::duration time;
};

struct outcome {
  std::vector<double> x;  ///< of all rows, at every rank
  int iterations = 0;
  ending ended = ending::out_of_iterations;
  upwash::duration time;
  spent barriers;
  spent all_reduces;
};

/// The right-hand side whose solution is all ones.
[[nodiscard]] std::vector<double> right_hand_side(const sparse::csr_matrix& a);

/// Solves A x = right_hand_side(A). `mflops` is the speed of a simulated processor. Collective,
/// blocking. Memory at each rank: the matrix, and a vector of all rows.
[[nodiscard]] outcome solve_on_all(upwash::job& here, const sparse::coordinate_matrix& matrix,
                                   const limits& until, double mflops);

}  // namespace cg
