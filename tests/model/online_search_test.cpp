// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/online_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "upwash/base/random.hpp"

namespace {

using upwash::model::online_search;

/// A program of some members that calls a choice again and again.
struct program {
  program(std::size_t candidates, std::function<double(std::size_t, long)> time_of)
      : members(3, online_search(candidates)), time(std::move(time_of)) {}

  void call() {
    if (left == 0) {
      advance();
      left = members[0].now().calls;
    }
    const auto& phase = members[0].now();
    double slowest = 0;
    for (std::size_t m = 0; m < members.size(); ++m) {
      // Members see different times of one call.
      const double own = time(phase.candidate, calls) * (1 + 0.1 * static_cast<double>(m));
      if (phase.timed) members[m].took(own);
      slowest = std::max(slowest, own);
    }
    spent += slowest;
    trials += phase.candidate != members[0].best() ? 1 : 0;
    ++calls;
    --left;
  }
  void advance() {
    if (calls == 0) return;
    std::vector<std::uint64_t> sums;
    for (online_search& each : members) {
      if (!each.next()) continue;
      sums.resize(each.report().size());
      std::transform(sums.begin(), sums.end(), each.report().begin(), sums.begin(), std::plus<>());
    }
    for (online_search& each : members) {
      if (!sums.empty()) each.agree(sums);
    }
    for (const online_search& each : members) {
      ASSERT_EQ(each.now().candidate, members[0].now().candidate);
      ASSERT_EQ(each.now().calls, members[0].now().calls);
    }
  }

  std::vector<online_search> members;
  std::function<double(std::size_t, long)> time;
  long calls = 0;
  long trials = 0;
  double spent = 0;
  std::uint64_t left = members[0].now().calls;
};

TEST(online_search, of_one_candidate_never_has_anything_to_do) {
  online_search alone(1);
  EXPECT_EQ(alone.now().candidate, 0U);
  EXPECT_FALSE(alone.now().timed);
  EXPECT_GT(alone.now().calls, std::uint64_t{1} << 40U);
}

TEST(online_search, settles_on_the_fastest_within_forty_calls) {
  for (std::size_t fastest = 0; fastest < 6; ++fastest) {
    program runs(6, [&](std::size_t c, long) { return c == fastest ? 700.0 : 1000.0; });
    while (!runs.members[0].settled()) runs.call();
    EXPECT_LE(runs.calls, 40) << fastest;
    EXPECT_EQ(runs.members[0].best(), fastest);
  }
}

TEST(online_search, tries_in_two_percent_of_the_calls_at_most_once_it_has_settled) {
  program runs(6, [&](std::size_t c, long) { return c == 3 ? 700.0 : 1000.0; });
  while (!runs.members[0].settled()) runs.call();
  const long settled = runs.calls;
  const long trials = runs.trials;
  for (int i = 0; i < 20'000; ++i) runs.call();
  EXPECT_LE(static_cast<double>(runs.trials - trials),
            0.02 * static_cast<double>(runs.calls - settled));
  EXPECT_GT(runs.trials, trials);  // but it does try
  EXPECT_EQ(runs.members[0].best(), 3U);
}

TEST(online_search, tries_the_hopeless_once) {
  long tried = 0;
  program runs(4, [&](std::size_t c, long) {
    tried += c == 2 ? 1 : 0;
    return c == 2 ? 5000.0 : 1000.0 + static_cast<double>(c);
  });
  for (int i = 0; i < 20'000; ++i) runs.call();
  EXPECT_EQ(tried, 2 * 3);  // one batch, by three members
}

TEST(online_search, is_not_misled_when_the_machine_changes_under_it) {
  // All calls take three times as long for a while: whoever is tried then must not look slow, nor
  // the best tried before and after it fast.
  for (long from = 0; from < 24; ++from) {
    program runs(6, [&](std::size_t c, long at) {
      const double own = c == 5 ? 800.0 : 1000.0;
      return at >= from && at < from + 9 ? 3 * own : own;
    });
    for (int i = 0; i < 2000; ++i) runs.call();
    EXPECT_EQ(runs.members[0].best(), 5U) << from;
  }
}

TEST(online_search, follows_when_another_becomes_the_fastest) {
  program runs(4,
               [&](std::size_t c, long at) { return c == (at < 3000 ? 1U : 2U) ? 700.0 : 1000.0; });
  for (int i = 0; i < 3000; ++i) runs.call();
  EXPECT_EQ(runs.members[0].best(), 1U);
  for (int i = 0; i < 5000; ++i) runs.call();
  EXPECT_EQ(runs.members[0].best(), 2U);
}

TEST(online_search, bears_noise) {
  int right = 0;
  double spent = 0;
  double least = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    upwash::random_stream numbers(seed, 0);
    const auto disturbed = [&](double own) {
      const double noise = static_cast<double>(numbers.below(1000)) * 1e-4;  // up to 10 %
      return own * (1 + noise) * (numbers.below(50) == 0 ? 4 : 1);           // and spikes
    };
    program runs(6, [&](std::size_t c, long) { return disturbed(c == 4 ? 850.0 : 1000.0); });
    program knows(1, [&](std::size_t, long) { return disturbed(850); });
    for (int i = 0; i < 1000; ++i) {
      runs.call();
      knows.call();
    }
    right += runs.members[0].best() == 4 ? 1 : 0;
    spent += runs.spent;
    least += knows.spent;
  }
  EXPECT_GT(right, 190);
  EXPECT_LT(spent, 1.02 * least);  // of all calls, trials and all
}

}  // namespace
