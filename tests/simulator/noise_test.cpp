// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Daemons: the closed form against counting, and what they do to a collective.
#include "upwash/simulator/noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;  // NOLINT(google-build-using-namespace)
using simulator::noise;

duration ps(std::int64_t value) { return duration::from_ps(value); }

TEST(noise, work_is_done_outside_of_the_daemons_times) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    upwash::random_stream random(seed, 99);
    noise of;
    of.period = ps(2 + static_cast<std::int64_t>(random.below(40)));
    of.length =
        ps(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(of.period.ps()))));
    of.seed = seed;
    // Where the daemons are: a picosecond in which a node works is one after which 1 ps is done.
    const auto works = [&](int node, std::int64_t at) {
      return of.done(node, ps(at), ps(1)) == ps(at + 1);
    };
    for (const int node : {0, 1, 7}) {
      std::int64_t working = 0;
      for (std::int64_t at = 0; at < of.period.ps(); ++at)
        working += works(node, 1000 + at) ? 1 : 0;
      EXPECT_EQ(working, of.period.ps() - of.length.ps()) << seed;
      for (std::int64_t cost = 1; cost < 120; cost += 7) {
        for (std::int64_t start = 0; start < 60; start += 3) {
          std::int64_t at = start;
          for (std::int64_t left = cost; left > 0; ++at) left -= works(node, at) ? 1 : 0;
          ASSERT_EQ(of.done(node, ps(start), ps(cost)), ps(at)) << seed << " " << start;
        }
      }
    }
  }
}

TEST(noise, daemons_without_end_are_refused) {
  EXPECT_NO_THROW(check(noise{}));
  EXPECT_NO_THROW(check(noise{duration::from_us(10), duration::from_us(9)}));
  EXPECT_THROW(check(noise{duration::from_us(10), duration::from_us(10)}), error);
}

TEST(noise, is_read_from_text) {
  const noise apart = simulator::parse_noise("10ms,250us", "noise", 7);
  EXPECT_EQ(apart.period, duration::from_us(10000));
  EXPECT_EQ(apart.length, duration::from_us(250));
  EXPECT_FALSE(apart.together);
  EXPECT_EQ(apart.seed, 7U);
  EXPECT_TRUE(simulator::parse_noise("1ms,1us,together", "noise", 7).together);
  EXPECT_EQ(simulator::parse_noise("", "noise", 7).period, duration());
  for (const char* wrong : {"1ms", "1ms,", ",1us", "1ms,1us,", "1ms,1us,apart", "1ms,together",
                            "1ms,1us,2us,together", "1ms,1ms", "x,1us", "1ms,-1us"}) {
    EXPECT_THROW((void)simulator::parse_noise(wrong, "noise", 7), error) << wrong;
  }
}

/// Section 7.1: a collective waits for the slowest, so daemons that come at different times on
/// different nodes cost it more than the same daemons all at once.
TEST(noise, daemons_at_different_times_hurt_a_collective_more) {
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call;
  call.of = collective::kind::all_reduce;
  call.ranks = 256;
  call.bytes = call.element_bytes = 8;
  const auto with = all.named(call.of, "recursive_doubling");
  const machine on =
      uniform_machine(duration::from_us(2), duration::from_us(1), duration::from_us(1), 0.1);
  const auto mean_us = [&](const noise& daemons) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      simulator::replay_options options;
      options.free_where_absent = true;
      options.daemons = daemons;
      options.daemons.seed = seed;
      duration last;
      for (const auto& each : simulator::replay(
               call.ranks, [&](int rank) { return with.schedule_of(call, rank); }, on,
               schedule::transfer_rules(), options)) {
        last = std::max(last, each.completion);
      }
      sum += last.us();
    }
    return sum / 20;
  };
  const double quiet = mean_us({});
  noise daemons{duration::from_us(1000), duration::from_us(50)};
  const double apart = mean_us(daemons);
  daemons.together = true;
  const double together = mean_us(daemons);
  EXPECT_GT(together, quiet);
  EXPECT_LT(together, quiet + 20);  // seldom hit: 5 % and the length of the call
  EXPECT_GT(apart, quiet + 40);     // somebody is hit in nearly every call
}

}  // namespace
