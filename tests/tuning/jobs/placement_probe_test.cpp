// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/placement_probe.hpp"

#include "tests/harness/job_test.hpp"
#include "upwash/core/host.hpp"

namespace {

using namespace upwash;

// A new one each time: where ranks load and store each other's memory by keys, each has to ask for
// one first, and nobody answers while it spins.
JOB_TEST(placement_probe, looks_as_soon_as_it_is_made, .least_ranks = 2, .most_ranks = 5,
         .on_composite = false) {
  constexpr int times = 20;
  const bool simulated = host(here).endpoint().describe().virtual_time;
  for (int i = 0; i < times; ++i) {
    tuning::placement_probe probe(here);
    EXPECT_EQ(probe.look() == tuning::placement::simulated, simulated);
  }
}

}  // namespace
