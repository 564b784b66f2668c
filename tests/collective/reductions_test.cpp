// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduces, reduce-scatters and scans: valid in random interleavings with operators that do not
// commute where the algorithm keeps the order, and counted against the formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/collective/cases.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/reduce_scatters.hpp"
#include "upwash/collective/algorithms/scans.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

constexpr std::uint64_t element_bytes = 4;
constexpr std::uint64_t sizes[] = {0, 1, 3, 8, 101};

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

expectation reducing(int ranks, std::uint64_t elements, bool commutative, bool in_place) {
  expectation of;
  of.ranks = ranks;
  of.element_bytes = element_bytes;
  of.input_bytes = of.output_bytes = elements * element_bytes;
  of.commutative = commutative;
  of.in_place = in_place;
  return of;
}

/// `schedule_of(rank, elements, in_place)`; `wanted(rank, element)`.
template <class ScheduleOf, class Wanted>
void expect_reduces(int ranks, bool commutative, const ScheduleOf& schedule_of,
                    const Wanted& wanted) {
  for (const std::uint64_t elements : sizes) {
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(testing::Message() << elements << (in_place ? " in place" : ""));
      const auto of_rank = [&](int rank) { return schedule_of(rank, elements, in_place); };
      expect_valid(reducing(ranks, elements, commutative, in_place), of_rank, wanted, 1);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class ScheduleOf>
void expect_reduces_to_all(int ranks, bool commutative, const ScheduleOf& schedule_of) {
  expect_reduces(ranks, commutative, schedule_of,
                 [ranks](int, std::uint64_t e) { return all_ranks(ranks, e); });
}

/// `schedule_of(rank, block bytes)`.
template <class ScheduleOf>
void expect_scatters(int ranks, bool commutative, const ScheduleOf& schedule_of) {
  for (const std::uint64_t elements : sizes) {
    expectation of = reducing(ranks, elements, commutative, false);
    of.input_bytes *= wide(ranks);
    const auto of_rank = [&](int rank) { return schedule_of(rank, elements * element_bytes); };
    const auto wanted = [&](int rank, std::uint64_t e) {
      return all_ranks(ranks, wide(rank) * elements + e);
    };
    expect_valid(of, of_rank, wanted, 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace

TEST(cube_all_reduce, keeps_order_with_whole_vectors) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t elements, bool in_place) {
      return generator(cube_all_reduce(ranks, rank, elements, element_bytes,
                                       exchanges::whole_vectors, in_place));
    };
    expect_reduces_to_all(ranks, false, made);
    const std::uint64_t stages = ceil_log(wide(ranks) + 1, 2) - 1;
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(made(rank, 10, true));
      if (ranks == 1 << stages) {
        EXPECT_EQ(sum.messages_sent, stages);
      } else {
        EXPECT_LE(sum.messages_sent, stages + 1);
        EXPECT_LE(sum.rounds, stages + 2);
      }
      EXPECT_EQ(sum.bytes_sent, sum.messages_sent * 10 * element_bytes);
    }
  }
}

TEST(cube_all_reduce, keeps_order_with_halves) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t elements, bool in_place) {
      return generator(
          cube_all_reduce(ranks, rank, elements, element_bytes, exchanges::halves, in_place));
    };
    expect_reduces_to_all(ranks, false, made);
    const std::uint64_t stages = ceil_log(wide(ranks) + 1, 2) - 1;
    if (ranks != 1 << stages) continue;
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(made(rank, wide(ranks) * 3, true));
      EXPECT_EQ(sum.messages_sent, 2 * stages);
      EXPECT_EQ(sum.bytes_sent, 2 * wide(ranks - 1) * 3 * element_bytes);
      EXPECT_EQ(sum.bytes_reduced, wide(ranks - 1) * 3 * element_bytes);
    }
  }
}

TEST(dissemination_all_reduce, serves_powers_of_its_radix) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int radix : {2, 3, 4, 5, 33}) {
      if (!is_power_of(radix, ranks)) continue;
      const auto made = [&](int rank, std::uint64_t elements, bool in_place) {
        return generator(
            dissemination_all_reduce(ranks, rank, elements * element_bytes, radix, in_place));
      };
      expect_reduces_to_all(ranks, true, made);
      const totals sum = count(made(0, 10, true));
      EXPECT_EQ(sum.messages_sent, wide(radix - 1) * ceil_log(wide(ranks), wide(radix)));
      EXPECT_EQ(sum.bytes_sent, sum.messages_sent * 10 * element_bytes);
    }
  }
  EXPECT_TRUE(is_power_of(3, 27));
  EXPECT_FALSE(is_power_of(3, 26));
}

TEST(halving_reduce_scatter, leaves_each_rank_its_block) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t bytes) {
      return generator(halving_reduce_scatter(ranks, rank, bytes));
    };
    expect_scatters(ranks, true, made);
    const std::uint64_t stages = ceil_log(wide(ranks) + 1, 2) - 1;
    if (ranks != 1 << stages) continue;
    const totals sum = count(made(ranks / 2, 8));
    EXPECT_EQ(sum.messages_sent, stages);
    EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
    EXPECT_EQ(sum.bytes_reduced, wide(ranks - 1) * 8);
  }
}

TEST(ring_reduce_scatter, sends_the_least_bytes) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t bytes) {
      return generator(ring_reduce_scatter(blocks::alike(ranks, bytes), rank));
    };
    expect_scatters(ranks, true, made);
    const totals sum = count(made(ranks / 2, 8));
    EXPECT_EQ(sum.messages_sent, wide(ranks - 1));
    EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
    EXPECT_EQ(sum.bytes_reduced, wide(ranks - 1) * 8);
    EXPECT_EQ(sum.bytes_copied, ranks == 1 ? 8U : 0U);
  }
}

TEST(pairwise_reduce_scatter, keeps_order) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t bytes) {
      return generator(pairwise_reduce_scatter(blocks::alike(ranks, bytes), rank));
    };
    expect_scatters(ranks, false, made);
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(made(rank, 8));
      EXPECT_EQ(sum.messages_sent, wide(ranks - 1));
      EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
      EXPECT_EQ(sum.bytes_reduced, wide(ranks - 1) * 8);
    }
  }
}

TEST(linear_scan, keeps_order_along_the_chain) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t elements, bool in_place) {
      return generator(linear_scan(ranks, rank, elements * element_bytes, in_place));
    };
    expect_reduces(ranks, false, made,
                   [](int rank, std::uint64_t e) { return all_ranks(rank + 1, e); });
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(count(made(rank, 1, true)).messages_sent, rank + 1 == ranks ? 0U : 1U);
    }
  }
}

TEST(doubling_exclusive_scan, leaves_rank_0_what_it_has) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    const auto made = [&](int rank, std::uint64_t elements, bool in_place) {
      return generator(doubling_exclusive_scan(ranks, rank, elements * element_bytes, in_place));
    };
    for (const std::uint64_t elements : sizes) {
      for (const bool in_place : {false, true}) {
        const auto of_rank = [&](int rank) { return made(rank, elements, in_place); };
        const auto wanted = [&](int rank, std::uint64_t e) {
          return rank == 0 && in_place ? all_ranks(1, e) : all_ranks(rank, e);
        };
        expect_valid(reducing(ranks, elements, false, in_place), of_rank, wanted, 1);
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const std::uint64_t most = ranks == 1 ? 0 : 1 + ceil_log(wide(ranks - 1), 2);
      EXPECT_LE(count(made(rank, 1, true)).messages_sent, most);
      EXPECT_LE(count(made(rank, 1, true)).rounds, most);
    }
  }
}

TEST(reductions, answer_at_once_on_huge_teams) {
  constexpr int ranks = 131'072;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 33U;
  generator ring(ring_reduce_scatter(blocks::alike(ranks, bytes), 77'777));
  generator pairs(pairwise_reduce_scatter(blocks::alike(ranks, bytes), 77'777));
  step s;
  for (int i = 0; i < 1000; ++i) {
    for (generator* each : {&ring, &pairs}) ASSERT_TRUE(each->next(s));
  }
  const auto reduce = [](exchanges what) {
    return count(generator(cube_all_reduce(ranks, 1, bytes, 8, what, false))).messages_sent;
  };
  EXPECT_EQ(reduce(exchanges::whole_vectors), 17U);
  EXPECT_EQ(reduce(exchanges::halves), 34U);
  EXPECT_EQ(count(generator(halving_reduce_scatter(ranks, 1, bytes))).messages_sent, 17U);
  EXPECT_LE(count(generator(doubling_exclusive_scan(ranks, 5, bytes, true))).messages_sent, 18U);
}
