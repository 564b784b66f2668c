// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same steps by one processor, state by state: what ranks are compared with.
#pragma once

#include <vector>

#include "apps/planewave/kernel.hpp"

namespace planewave {

/// What is known of a step: its density, and the overlaps behind it, by pair of states.
struct step_result {
  density_sums density;
  std::vector<overlap> overlaps;
};

struct result {
  std::vector<step_result> steps;  ///< from 0 on, before which there is no density
  waves marks;                     ///< by state, at the end
};

[[nodiscard]] result run_serially(const box& of, int steps);

/// Whether all is as near as the order of sums leaves it.
[[nodiscard]] bool agree(const result& one, const result& other);

}  // namespace planewave
