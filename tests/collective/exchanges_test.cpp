// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-alls by few messages and by many: every block at its place, with the messages and bytes
// that the formulas say; and the barrier that shares the pattern of cubes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/collective/cases.hpp"
#include "upwash/collective/algorithms/all_to_alls.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/direct_exchange.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

bool is_power_of_two(int ranks) { return (ranks & (ranks - 1)) == 0; }

/// `schedule_of(rank, block bytes)` for all sizes.
template <class ScheduleOf>
void expect_exchanges(int ranks, const ScheduleOf& schedule_of) {
  for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
    expectation of;
    of.ranks = ranks;
    of.element_bytes = bytes == 1000 ? 200 : 1;
    of.input_bytes = of.output_bytes = wide(ranks) * bytes;
    const std::uint64_t each = bytes / of.element_bytes;
    const auto wanted = [&](int rank, std::uint64_t e) {
      const auto element = static_cast<std::uint32_t>(wide(rank) * each + e % each);
      return abstract_value{{static_cast<int>(e / each), element}};
    };
    expect_valid(
        of, [&](int rank) { return schedule_of(rank, bytes); }, wanted, 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace

TEST(bruck_all_to_all, needs_few_messages) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int radix : {2, 3, 4, 7, 64}) {
      SCOPED_TRACE(testing::Message() << "k " << radix);
      const auto made = [&](int rank, std::uint64_t bytes) {
        return generator(bruck_all_to_all(ranks, rank, bytes, radix));
      };
      expect_exchanges(ranks, made);
      const std::uint64_t rounds = ceil_log(wide(ranks), wide(radix));
      const totals sum = count(made(ranks / 3, 8));
      EXPECT_LE(sum.messages_sent, wide(radix - 1) * rounds);
      EXPECT_EQ(sum.bytes_copied, 2 * sum.bytes_sent + 2 * wide(ranks) * 8);
      if (radix == 2) {
        EXPECT_EQ(sum.messages_sent, rounds);
        EXPECT_LE(sum.bytes_sent, rounds * (wide(ranks) / 2) * 8);
      }
      if (radix == 2 && is_power_of_two(ranks)) {
        EXPECT_EQ(sum.bytes_sent, rounds * (wide(ranks) / 2) * 8);
      }
    }
  }
}

TEST(hypercube_all_to_all, costs_what_the_paper_says) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t bytes) {
      return generator(hypercube_all_to_all(ranks, rank, bytes));
    };
    expect_exchanges(ranks, made);
    const std::uint64_t stages = ceil_log(wide(ranks) + 1, 2) - 1;
    const std::uint64_t all = wide(ranks) * 8;
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(made(rank, 8));
      if (is_power_of_two(ranks)) {  // equation 3.10, and P m bytes copied to their places
        EXPECT_EQ(sum.messages_sent, stages);
        EXPECT_EQ(sum.bytes_sent, stages * all / 2);
        EXPECT_EQ(sum.bytes_copied, stages * all / 2 + all);
      } else {
        // Equation 3.12, which is about the most, without the P m bytes of the last message: where
        // the folded ranks do not spread evenly there is a row more.
        const std::uint64_t uneven = (std::uint64_t{2} << stages) * 8;
        EXPECT_LE(sum.messages_sent, stages + 1);
        EXPECT_LE(sum.bytes_sent, stages * all + uneven + all);
      }
    }
  }
}

TEST(hypercube_all_to_all, does_not_overflow) {
  const std::uint64_t bytes = std::uint64_t{3} << 31U;
  for (const int ranks : {63, 64}) {
    std::uint64_t written = 0;
    generator steps(hypercube_all_to_all(ranks, 0, bytes));
    for (step s; steps.next(s);) {
      if (s.into.of == buffer::output && s.kind == step_kind::copy) {
        written = std::max(written, s.into.end());
      }
      for (const piece& p : {s.left, s.into}) {
        if (p.of != buffer::scratch) continue;
        ASSERT_LE(p.end(), steps.scratch_bytes());
      }
    }
    EXPECT_EQ(written, wide(ranks) * bytes);
  }
}

TEST(direct_exchange, brings_each_its_own) {
  using exchange = direct_stages;
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const auto order : {exchange::partners::shifted, exchange::partners::paired}) {
      if (order == exchange::partners::paired && !is_power_of_two(ranks)) continue;
      for (const int ahead : {0, 1, 3}) {
        const auto made = [&](int rank, std::uint64_t bytes) {
          return generator(direct_exchange(ranks, rank, bytes,
                                           {order, exchange::payload::own_for_each, ahead}, false));
        };
        expect_exchanges(ranks, made);
        const totals sum = count(made(ranks / 2, 8));  // equations 3.1, 4.1 and 4.2
        EXPECT_EQ(sum.messages_sent, wide(ranks - 1));
        EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
        EXPECT_EQ(sum.bytes_copied, 8U);
      }
    }
  }
}

TEST(direct_exchange, has_one_partner_a_stage) {
  constexpr int ranks = 16;
  for (int stage = 1; stage < ranks; ++stage) {
    for (int rank = 0; rank < ranks; ++rank) {
      generator steps(direct_exchange(
          ranks, rank, 8,
          {direct_stages::partners::paired, direct_stages::payload::own_for_each, 1}, false));
      for (step s; steps.next(s);) {
        if (s.kind == step_kind::copy || static_cast<int>(s.edge) + 1 != stage) continue;
        EXPECT_EQ(s.peer, rank ^ stage);
      }
    }
  }
}

TEST(pairwise_barrier, tells_everybody_in_few_rounds) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto of_rank = [ranks](int rank) { return generator(pairwise_barrier(ranks, rank)); };
    expectation of;
    of.ranks = ranks;
    of.synchronizes = true;
    expect_valid(of, of_rank, nothing_wanted);
    const std::uint64_t stages = ceil_log(wide(ranks) + 1, 2) - 1;
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(of_rank(rank));
      EXPECT_LE(sum.messages_sent, stages + (is_power_of_two(ranks) ? 0U : 1U));
      EXPECT_EQ(sum.bytes_sent, 0U);
      if (is_power_of_two(ranks)) {
        EXPECT_EQ(sum.messages_sent, stages);
      }
    }
  }
}

TEST(exchanges, answer_at_once_on_huge_teams) {
  constexpr int ranks = 131'072;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 30U;
  generator bruck(bruck_all_to_all(ranks, 77'777, bytes, 2));
  generator cube(hypercube_all_to_all(ranks, 77'777, bytes));
  generator holes(hypercube_all_to_all(ranks - 1, 77'776, bytes));
  generator cyclic(direct_exchange(
      ranks, 77'777, bytes,
      {direct_stages::partners::shifted, direct_stages::payload::own_for_each, 1}, false));
  step s;
  for (int i = 0; i < 1000; ++i) {
    for (generator* each : {&bruck, &cube, &holes, &cyclic}) ASSERT_TRUE(each->next(s));
  }
  EXPECT_EQ(count(generator(pairwise_barrier(ranks, 5))).messages_sent, 17U);
}
