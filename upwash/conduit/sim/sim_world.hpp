// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated conduit: ranks are fibers of one process, time is virtual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "upwash/conduit/world.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::conduit {

struct sim_options {
  int ranks = 1;
  int ranks_per_process = 1;  ///< ranks that share an endpoint
  machine on;                 ///< costs and levels
  std::uint64_t seed = 0;
  bool perturb = false;  ///< random delays and legal reorderings, drawn from the seed
  std::size_t stack_bytes = 128 * 1024;
};

/// Deterministic: same program, options and machine give the same events and times.
[[nodiscard]] std::unique_ptr<world> make_sim_world(sim_options options);

}  // namespace upwash::conduit
