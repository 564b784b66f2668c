// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds in which puts are messages that the processors of their targets serve.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

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

/// Runs the body on such worlds of several sizes, for each of the seeds 0 to `seeds`.
inline void run_served(void (*body)(job&), std::uint64_t seeds) {
  for (const int ranks : {1, 2, 5, 8}) {
    for (std::uint64_t seed = 0; seed <= seeds; ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
      const auto world = served_of(ranks, seed);
      ASSERT_EQ(message_of(*world, body), "no error");
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

}  // namespace upwash::test
