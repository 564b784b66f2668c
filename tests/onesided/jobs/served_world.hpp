// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds in which puts are messages that the processors of their targets serve.
#pragma once

#include <cstdint>
#include <memory>

#include "tests/harness/worlds.hpp"

namespace upwash::test {

/// Two ranks a node; held up at random where there is a seed.
inline std::unique_ptr<conduit::world> served_of(int ranks, std::uint64_t seed) {
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("edr:ranks_a_node=2");
  options.remote_writes = false;
  options.seed = seed;
  options.perturb = seed != 0;
  return conduit::make_sim_world(options);
}

}  // namespace upwash::test
