// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each algorithm on teams of 1 to 33 (1 to 70 in the long run): valid in random interleavings, and
// its messages and bytes as the closed formulas say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collective/cases.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/collective/algorithms/scans.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;

}  // namespace

TEST(dissemination_barrier, tells_everybody_in_few_rounds) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int radix : {2, 3, 4, 9, 64}) {
      const auto of_rank = [ranks, radix](int rank) {
        return generator(dissemination_barrier(ranks, rank, radix));
      };
      expectation of;
      of.ranks = ranks;
      of.synchronizes = true;
      expect_valid(of, of_rank, nothing_wanted);
      const totals sum = count(of_rank(ranks - 1));
      const auto each_round = static_cast<std::uint64_t>(radix - 1);
      const std::uint64_t rounds = ceil_log(static_cast<std::uint64_t>(ranks), each_round + 1);
      EXPECT_EQ(sum.rounds, rounds);
      EXPECT_LE(sum.messages_sent, each_round * rounds);
      EXPECT_GE(sum.messages_sent, rounds);
      EXPECT_EQ(sum.bytes_sent, 0U);
    }
  }
}

TEST(central_counter_barrier, lets_all_count_and_watch) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto of_rank = [ranks](int) { return generator(central_counter_barrier(ranks)); };
    expectation of;
    of.ranks = ranks;
    of.synchronizes = true;
    expect_valid(of, of_rank, nothing_wanted);
    const totals sum = count(of_rank(0));
    EXPECT_EQ(sum.signals, 1U);
    EXPECT_EQ(sum.awaits, 1U);
    EXPECT_EQ(sum.messages_sent, 0U);
  }
}

TEST(central_counter_barrier, is_no_barrier_for_fewer_than_all) {
  expectation of;
  of.ranks = 3;
  of.synchronizes = true;
  const auto wrong = [&of](int counted) {
    return validate(
        of, [counted](int) { return generator(central_counter_barrier(counted)); }, nothing_wanted,
        1);
  };
  EXPECT_NE(wrong(4).find("deadlock"), std::string::npos) << wrong(4);
  EXPECT_NE(wrong(2).find("may leave before rank"), std::string::npos) << wrong(2);
}

TEST(ring_all_reduce, combines_all_with_the_least_bytes) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 4) {
    for (const std::uint64_t elements : {0, 1, 3, 8, 50, 101}) {
      for (const bool in_place : {false, true}) {
        const auto of_rank = [&](int rank) {
          return generator(ring_all_reduce(ranks, rank, elements, 4, in_place));
        };
        expectation of;
        of.ranks = ranks;
        of.element_bytes = 4;
        of.input_bytes = of.output_bytes = elements * 4;
        of.in_place = in_place;
        const std::uint64_t times = ranks <= 33 ? seeds() : 3;
        expect_valid(
            of, of_rank, [&](int, std::uint64_t e) { return all_ranks(ranks, e); }, times);
        const totals sum = count(of_rank(0));
        const auto others = static_cast<std::uint64_t>(ranks - 1);
        EXPECT_EQ(sum.messages_sent, 2 * others);
        if (elements % static_cast<std::uint64_t>(ranks) == 0) {
          EXPECT_EQ(sum.bytes_sent, 2 * others * elements * 4 / static_cast<std::uint64_t>(ranks));
        }
      }
    }
  }
}

TEST(doubling_scan, keeps_the_order_of_ranks) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const bool in_place : {false, true}) {
      const std::uint64_t bytes = 12;
      const auto of_rank = [&](int rank) {
        return generator(doubling_scan(ranks, rank, bytes, in_place));
      };
      expectation of;
      of.ranks = ranks;
      of.element_bytes = 4;
      of.input_bytes = of.output_bytes = bytes;
      of.commutative = false;
      of.in_place = in_place;
      expect_valid(of, of_rank, [](int rank, std::uint64_t e) { return all_ranks(rank + 1, e); });
      EXPECT_LE(count(of_rank(0)).messages_sent, ceil_log(static_cast<std::uint64_t>(ranks), 2));
    }
  }
}

TEST(generators, are_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 300 : 40;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    upwash::random_stream random(seed, 1);
    const auto at_most = [&](int most) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(most))) + 1;
    };
    expectation of;
    of.ranks = at_most(most_ranks());
    of.element_bytes = static_cast<std::uint32_t>(at_most(9));
    of.input_bytes = of.output_bytes = random.below(120) * of.element_bytes;
    of.in_place = random.below(2) != 0;
    const std::uint64_t bytes = of.input_bytes;
    const std::uint64_t elements = bytes / of.element_bytes;
    const auto ring = [&](int rank) {
      return generator(ring_all_reduce(of.ranks, rank, elements, of.element_bytes, of.in_place));
    };
    expect_valid(
        of, ring, [&](int, std::uint64_t e) { return all_ranks(of.ranks, e); }, 1);
    of.commutative = false;
    const auto scan = [&](int rank) {
      return generator(doubling_scan(of.ranks, rank, bytes, of.in_place));
    };
    expect_valid(
        of, scan, [](int rank, std::uint64_t e) { return all_ranks(rank + 1, e); }, 1);
    const int root = at_most(of.ranks) - 1;
    const broadcast_tree chosen{upwash::model::knomial_tree(1 + at_most(of.ranks + 3)),
                                random.below(30) * of.element_bytes};
    const auto tree = [&](int rank) {
      return generator(tree_broadcast(of.ranks, rank, root, bytes, chosen, of.in_place));
    };
    const auto of_root = [root](int, std::uint64_t e) {
      return abstract_value{{root, static_cast<std::uint32_t>(e)}};
    };
    expect_valid(of, tree, of_root, 1);
  }
}

TEST(generators, answer_at_once_on_huge_teams) {
  constexpr int ranks = 131'072;
  generator ring(ring_all_reduce(ranks, 77'777, std::uint64_t{1} << 33U, 8, false));
  generator tree(tree_broadcast(ranks, 1, 5, std::uint64_t{1} << 40U,
                                {upwash::model::knomial_tree(4), 1U << 20U}, false));
  step s;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(ring.next(s));
    ASSERT_TRUE(tree.next(s));
  }
  EXPECT_EQ(count(generator(dissemination_barrier(ranks, 3))).messages_sent, 17U);
  EXPECT_LE(sizeof(generator), 320U);
}
