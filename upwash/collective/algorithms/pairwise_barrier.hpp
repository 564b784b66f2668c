// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: nobody leaves before all have entered. Idea: in round i tell the vertex whose number
// differs in bit i, and hear from it. Ranks beyond the cube tell a vertex first and hear from it at
// the end. Cost: log2 P messages of no bytes a rank; with ranks beyond the cube at most one more.
// Any P. Source: Hensgen, Finkel and Manber 1988, the butterfly that dissemination replaces.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/folded_cube.hpp"
#include "upwash/collective/algorithms/detail/in_rounds.hpp"

namespace upwash::collective {

class pairwise_barrier : public detail::in_rounds<pairwise_barrier, 2> {
 public:
  pairwise_barrier(int ranks, int rank) noexcept
      : cube_(ranks), rank_(rank), vertex_(cube_.vertex_of(rank)) {}

  [[nodiscard]] std::uint32_t window() const noexcept { return 4; }
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return 0; }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] bool alike() const noexcept { return cube_.folded() == 0; }

 private:
  friend class detail::in_rounds<pairwise_barrier, 2>;
  [[nodiscard]] int folds() const noexcept { return cube_.folded() == 0 ? 0 : 1; }
  [[nodiscard]] int rounds() const noexcept { return 2 * folds() + cube_.dimensions(); }
  detail::emitted act(int part, schedule::step& out, schedule::tape& on);

  detail::folded_cube cube_;
  int rank_;
  int vertex_;
  schedule::mark heard_ = schedule::never;
};

}  // namespace upwash::collective
