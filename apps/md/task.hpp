// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is computed, whoever does it.
#pragma once

#include <vector>

#include "apps/md/mesh.hpp"
#include "apps/md/space.hpp"
#include "apps/md/topology.hpp"

namespace md {

struct task {
  space in;
  int steps = 100;
  int migrate = 5;  ///< particles change cells every so many steps
  double time_step = 0.004;
  topology kinds = {};
  std::vector<spring> springs = {};  ///< of molecules of several particles
  mesh on = {};                      ///< of charges; none: they have no forces

  [[nodiscard]] bool charged() const noexcept { return on.used(); }
  /// Slots of forces in a cell: one for each place around, and one for the mesh.
  [[nodiscard]] int slots() const noexcept { return slots_of(in.reach) + (charged() ? 1 : 0); }
};

}  // namespace md
