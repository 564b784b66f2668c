// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Daemons of the operating system in whole programs (Kumar 2005, section 7.1): a step that ends
// with a reduction waits for whoever was interrupted; one that leaves the reduction to the next
// step lets those who lag catch up; a reduction in the switches needs no processor meanwhile.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "tests/conduit/sim/sim_fixture.hpp"
#include "upwash/base/error.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/runtime/run_on.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;
using conduit::sim_options;

constexpr int steps = 30;
constexpr duration work = duration::from_us(1000);

/// Each step computes, looking for messages so often meanwhile, then reduces a word, and waits for
/// this reduction or for that of the step before.
void time_steps(job& here, bool synchronous, const std::string& algorithm, int looks) {
  const team world = here.world();
  std::uint64_t mine = 1;
  std::uint64_t totals[2] = {0, 0};
  request before;
  for (int step = 0; step < steps; ++step) {
    for (int look = 0; look < looks; ++look) {
      here.compute(duration::from_us(work.us() / looks));
      here.progress();
    }
    std::uint64_t& total = totals[step % 2];
    request now =
        all_reduce<sum>(world, std::span(&mine, 1), std::span(&total, 1), {.algorithm = algorithm});
    if (synchronous) {
      now.wait();
    } else {
      if (step > 0) before.wait();
      before = std::move(now);
    }
  }
  if (!synchronous) before.wait();
  EXPECT_EQ(totals[0], static_cast<std::uint64_t>(world.size()));
}

/// In milliseconds of virtual time a step.
double step_ms(const std::string& noise, bool synchronous, bool packets,
               const std::string& algorithm = "recursive_doubling", int looks = 20) {
  sim_options options;
  options.ranks = 64;
  options.on = load_machine("edr:ranks_a_node=1");
  options.daemons = simulator::parse_noise(noise, "noise", 3);
  if (packets) options.through = model::make_topology(model::topology_of(options.on, 64));
  const auto world = make_sim_world(options);
  run_on(*world, {}, [&](job& here) { time_steps(here, synchronous, algorithm, looks); });
  return report_of(*world).time.us() / (1000 * steps);
}

class daemons_on : public testing::TestWithParam<bool> {};

TEST_P(daemons_on, hurt_synchronous_reductions_and_less_asynchronous_ones) {
  const bool packets = GetParam();
  const std::string apart = "10ms,1ms";
  const double quiet = step_ms("", true, packets);
  EXPECT_NEAR(quiet, 1.01, 0.02);
  // Each node loses 10 % of its time, and somebody is interrupted in every step.
  EXPECT_GT(step_ms(apart, true, packets), 1.7 * quiet);
  EXPECT_LT(step_ms(apart, false, packets), 1.6 * quiet);
  EXPECT_LT(step_ms(apart, false, packets), 0.8 * step_ms(apart, true, packets));
  // All at once they cost what they take.
  EXPECT_NEAR(step_ms(apart + ",together", true, packets), 1.1 * quiet, 0.06 * quiet);
}

INSTANTIATE_TEST_SUITE_P(packets, daemons_on, testing::Bool());

/// While the switches combine, no processor is needed: nobody has to look for messages as it works.
TEST(daemons, reductions_in_the_switches_need_no_processor) {
  const std::string apart = "10ms,1ms";
  const double quiet = step_ms("", true, true, "in_network");
  EXPECT_GT(step_ms(apart, true, true, "in_network"), 1.7 * quiet);
  const double by_switches = step_ms(apart, false, true, "in_network", 1);
  EXPECT_LT(by_switches, 1.6 * quiet);
  EXPECT_LT(by_switches, 0.9 * step_ms(apart, false, true, "recursive_doubling", 1));
}

}  // namespace
