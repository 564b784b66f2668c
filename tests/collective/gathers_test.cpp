// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gathers: every block at every rank, with the messages that the formulas say.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/collective/cases.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/all_gathers.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

struct k_prefix {
  std::uint64_t k;
  std::uint64_t pacing;
};

void expect_gathers(int ranks, std::uint64_t bytes, k_prefix chosen, bool in_place) {
  SCOPED_TRACE(testing::Message() << "k " << chosen.k << ", pacing " << chosen.pacing);
  const auto of_rank = [&](int rank) {
    return generator(k_prefix_all_gather(ranks, rank, bytes, chosen.k, chosen.pacing, in_place));
  };
  const expectation of = gathering(ranks, bytes, in_place);
  expect_valid(
      of, of_rank, [&](int, std::uint64_t e) { return gathered(of, e); }, 1);
  // Equation 4.5: P - 1 messages of m bytes, and the barriers between them.
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  const std::uint64_t barriers =
      chosen.pacing == 0 || others == 0 ? 0 : (others - 1) / chosen.pacing;
  const std::uint64_t levels = ceil_log(others + 1, 2);
  for (const int rank : {0, ranks / 2, ranks - 1}) {
    const totals sum = count(of_rank(rank));
    EXPECT_EQ(sum.messages_sent, others + barriers * levels);
    EXPECT_EQ(sum.messages_received, sum.messages_sent);
    EXPECT_EQ(sum.bytes_sent, others * bytes);
    EXPECT_EQ(sum.bytes_received, others * bytes);
    EXPECT_EQ(sum.bytes_copied, in_place ? 0 : bytes);
    EXPECT_EQ(sum.rounds,
              ranks == 1 && in_place ? 0 : std::max<std::uint64_t>(others + barriers * levels, 1));
  }
}

}  // namespace

TEST(k_prefix_all_gather, brings_all_blocks_to_all) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
      for (const bool in_place : {false, true}) {
        expect_gathers(ranks, bytes, {8, 0}, in_place);
      }
    }
    if (ranks > 17 && ranks % 4 != 0) continue;
    for (const std::uint64_t k : {1, 2, 6, 64}) {
      for (const std::uint64_t pacing : {0, 1, 3, 8}) expect_gathers(ranks, 3, {k, pacing}, true);
    }
  }
}

TEST(k_prefix_all_gather, takes_the_largest_partition_that_serves) {
  EXPECT_EQ(k_prefix_partition(64, 8), 8);
  EXPECT_EQ(k_prefix_partition(12, 8), 4);
  EXPECT_EQ(k_prefix_partition(64, 12), 4);
  EXPECT_EQ(k_prefix_partition(33, 8), 1);
  EXPECT_EQ(k_prefix_partition(8, 64), 8);
}

TEST(k_prefix_all_gather, sends_one_of_k_messages_to_the_next_partition) {
  constexpr int ranks = 32;
  constexpr int k = 8;
  generator steps(k_prefix_all_gather(ranks, 13, 100, k, 0, true));
  int far = 0;
  for (step s; steps.next(s);) {
    if (s.kind != step_kind::send) continue;
    if (s.peer / k != 13 / k) {
      EXPECT_EQ(s.peer, 13 + k);
      ++far;
    }
  }
  EXPECT_EQ(far, ranks / k - 1);
}

TEST(k_prefix_all_gather, answers_at_once_on_huge_teams) {
  constexpr int ranks = 131'072;
  const generator whole(
      k_prefix_all_gather(ranks, 77'777, std::uint64_t{1} << 33U, ranks, 8, false));
  EXPECT_LE(whole.window(), 8U);
  generator steps = whole;
  step s;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(steps.next(s));
  EXPECT_EQ(count(generator(k_prefix_all_gather(ranks, 1, 1, 8, 0, true))).messages_sent, 131'071U);
}

TEST(all_gathers, are_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 300 : 40;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 1);
    const auto ranks = static_cast<int>(1 + random.below(static_cast<std::uint64_t>(most_ranks())));
    const bool in_place = random.below(2) != 0;
    expect_gathers(ranks, random.below(40), {1 + random.below(70), random.below(20)}, in_place);
  }
}
