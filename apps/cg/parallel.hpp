// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The solve on all ranks: rows in blocks, and sums by all-reduces. Before it is multiplied the
// direction is put to every rank and told by a barrier (Nishtala 2009, "Auto-tuned conjugate
// gradient"), or comes from the neighbours whose parts a rank's rows name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// The exchanges of the direction beside those of apps::block_exchange: put to all ranks, and by
/// the best scheme of neighbours.
constexpr std::string_view puts = "puts";
constexpr std::string_view neighbors = "neighborhood";

struct manner {
  std::string exchange{puts};  ///< puts, neighborhood, all_gather, or a scheme of neighbours
  double mflops = 1000;        ///< of a simulated processor
};

struct outcome {
  std::vector<double> x;  ///< of all rows, at every rank
  int iterations = 0;
  ending ended = ending::out_of_iterations;
  upwash::duration time;
  upwash::duration preparation;  ///< of the exchange; not in `time`
  spent exchanges;               ///< of the direction
  spent barriers;                ///< those of them; none but with puts
  spent all_reduces;
};

/// The right-hand side whose solution is all ones.
[[nodiscard]] std::vector<double> right_hand_side(const sparse::csr_matrix& a);

/// Solves A x = right_hand_side(A). Collective, blocking. Memory at each rank: the matrix, and a
/// vector of all rows. Throws `error` (argument) at all ranks for a scheme that is not known.
[[nodiscard]] outcome solve_on_all(upwash::job& here, const sparse::coordinate_matrix& matrix,
                                   const limits& until, const manner& how);

}  // namespace cg
