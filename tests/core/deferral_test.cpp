// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The deferred queue: order behind it (I1), draining (I2), and throttling above its limit (I3).
#include <gtest/gtest.h>

#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"
#include "upwash/core/host.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;

struct log_book final : service_base {
  explicit log_book(job& /*here*/) {}
  std::vector<std::uint64_t> seen;
};

void write_down(incoming& in, std::uint64_t value) {
  in.here().service<log_book>().seen.push_back(value);
}

/// Runs at rank 0: passes the value on to rank 1, four times.
void pass_on(incoming& in, std::uint64_t value) {
  for (std::uint64_t copy = 0; copy < 4; ++copy) send<&write_down>(in.here(), 1, value * 4 + copy);
}

std::unique_ptr<conduit::world> world_of(int ranks, std::uint64_t seed) {
  conduit::loopback_options options;
  options.ranks = ranks;
  options.seed = seed;
  options.queue_messages = 4;
  return conduit::make_loopback_world(options);
}

}  // namespace

TEST(deferral, a_flooded_rank_throttles_its_peers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto world = world_of(3, seed);
    job_options options;
    options.deferred_limit = 16;
    bool throttled = false;
    std::uint64_t sent = 0;
    std::size_t most_deferred = 0;
    run_on(*world, options, [&](job& here) {
      if (here.rank() == 1) {
        // Deaf until rank 2 has been refused: what rank 0 passes on has nowhere to go.
        while (!throttled) host(here).endpoint().yield(1);
        while (here.service<log_book>().seen.size() < sent * 4) here.progress();
        for (std::uint64_t i = 0; i < sent * 4; ++i) {
          ASSERT_EQ(here.service<log_book>().seen[i], i) << "seed " << seed;
        }
      } else if (here.rank() == 2) {
        while (!throttled) {
          const send_result result = try_send<&pass_on>(here, 0, sent);
          throttled = result.why == conduit::retry_reason::throttled;
          if (result.what == conduit::outcome::done) ++sent;
          here.progress();
        }
        send<&pass_on>(here, 0, sent);  // waits until rank 0 takes requests again
        ++sent;
      } else {
        while (!throttled) here.progress();
        most_deferred = here.counters().deferred;
      }
    });
    EXPECT_TRUE(throttled);
    EXPECT_GT(most_deferred, options.deferred_limit);
  }
}

TEST(deferral, what_a_rank_sends_itself_stays_behind_what_its_handlers_deferred) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto world = world_of(2, seed);
    run_on(*world, {}, [&](job& here) {
      constexpr std::uint64_t rounds = 30;
      if (here.rank() == 0) {
        for (std::uint64_t i = 0; i < rounds; ++i) send<&pass_on>(here, 0, i);
        while (here.counters().handlers_run < rounds) here.progress();
        send<&write_down>(here, 1, rounds * 4);
      } else {
        auto& seen = here.service<log_book>().seen;
        while (seen.size() < rounds * 4 + 1) here.progress();
        for (std::uint64_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i) << "seed " << seed;
      }
    });
  }
}
