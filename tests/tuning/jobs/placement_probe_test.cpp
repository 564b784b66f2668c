// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/placement_probe.hpp"

#include <sched.h>

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

// What counts is where they may run, not how many processors the machine has.
JOB_TEST(placement_probe, sees_ranks_bound_to_one_processor, .least_ranks = 2, .most_ranks = 3,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int allowed = 0;
  while (!CPU_ISSET(allowed, &before)) ++allowed;
  control::broadcast_value(here.world(), 0, allowed);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    tuning::placement_probe probe(here);
    EXPECT_TRUE(probe.oversubscribed());
    EXPECT_EQ(probe.look(), tuning::placement::shared);
  }
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
