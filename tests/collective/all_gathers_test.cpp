// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gathers by few messages and by many: every block at every rank, with the messages and bytes
// that the formulas say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/collective/cases.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/direct_exchange.hpp"
#include "upwash/collective/algorithms/mesh_all_gather.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

/// `schedule_of(rank, bytes, in_place)` for all sizes, in place and not.
template <class ScheduleOf>
void expect_gathers(int ranks, const ScheduleOf& schedule_of) {
  for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
    for (const bool in_place : {false, true}) {
      const expectation of = gathering(ranks, bytes, in_place);
      const auto of_rank = [&](int rank) { return schedule_of(rank, bytes, in_place); };
      SCOPED_TRACE(testing::Message() << bytes << " bytes" << (in_place ? ", in place" : ""));
      expect_valid(
          of, of_rank, [&](int, std::uint64_t e) { return gathered(of, e); }, 1);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace

TEST(dissemination_all_gather, brings_all_blocks_in_few_rounds) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int radix : {2, 3, 5, 64}) {
      const auto made = [&](int rank, std::uint64_t bytes, bool in_place) {
        return generator(
            dissemination_all_gather(blocks::alike(ranks, bytes), rank, radix, in_place));
      };
      expect_gathers(ranks, made);
      const totals sum = count(made(ranks / 2, 8, true));
      const std::uint64_t rounds = ceil_log(wide(ranks), wide(radix));
      EXPECT_LE(sum.messages_sent, wide(radix - 1) * rounds);
      if (radix == 2) {
        EXPECT_EQ(sum.messages_sent, rounds);
      }
      if (radix == 64) {
        EXPECT_EQ(sum.messages_sent, wide(std::min(ranks - 1, 63 + (ranks - 1) / 64)));
      }
      EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
      EXPECT_EQ(sum.bytes_copied, wide(ranks + 1) * 8);
    }
  }
}

TEST(hypercube_all_gather, costs_what_the_paper_says) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int zeta : {0, 2, 3}) {
      const auto made = [&](int rank, std::uint64_t bytes, bool in_place) {
        return generator(hypercube_all_gather(ranks, rank, bytes, zeta, in_place));
      };
      expect_gathers(ranks, made);
      const std::uint64_t dimensions = ceil_log(wide(ranks) + 1, 2) - 1;
      const bool holes = ranks != 1 << dimensions;
      const std::uint64_t direct = std::min<std::uint64_t>(wide(zeta), dimensions);
      const std::uint64_t stages = dimensions - direct + (1U << direct) - 1;
      for (int rank = 0; rank < ranks; ++rank) {
        const totals sum = count(made(rank, 8, true));
        if (!holes) {  // equations 3.11 and 3.16, exactly, but for the copies that are not needed
          EXPECT_EQ(sum.messages_sent, stages);
          EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
        } else {  // equation 3.13 is the most, without the P m bytes of the last message
          EXPECT_LE(sum.messages_sent, stages + 1);
          if (zeta == 0) {
            EXPECT_LE(sum.bytes_sent, wide(2 * (ranks - 1) + ranks) * 8);
          }
        }
        EXPECT_EQ(sum.bytes_copied, 0U);
      }
    }
  }
}

TEST(mesh_all_gather, brings_all_blocks_on_any_grid) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int dimensions : {1, 2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << dimensions << "-D");
      expect_gathers(ranks, [&](int rank, std::uint64_t bytes, bool in_place) {
        return generator(mesh_all_gather(ranks, rank, bytes, dimensions, in_place));
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(mesh_all_gather, costs_what_the_paper_says_on_squares_and_cubes) {
  for (const int side : {2, 3, 4, 10, 20}) {
    const std::uint64_t others = wide(side - 1);
    const int square = side * side;
    const totals flat = count(generator(mesh_all_gather(square, square / 3, 24, 2, false)));
    EXPECT_EQ(flat.messages_sent, 2 * others);  // equation 3.3
    EXPECT_EQ(flat.bytes_sent, wide(square - 1) * 24);
    EXPECT_EQ(flat.bytes_copied, 24U);
    const int cube = square * side;
    const totals deep = count(generator(mesh_all_gather(cube, cube / 3, 24, 3, true)));
    EXPECT_EQ(deep.messages_sent, 3 * others);  // equation 3.7
    EXPECT_EQ(deep.bytes_sent, others * wide(1 + side + square) * 24);
    EXPECT_EQ(deep.bytes_copied, 0U);
    EXPECT_EQ(deep.rounds, 3U);
  }
}

TEST(mesh_all_gather, sends_few_messages_with_holes) {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    for (const int dimensions : {2, 3}) {
      int side = 1;
      while (std::pow(side, dimensions) < ranks) ++side;
      const std::uint64_t most = wide(dimensions * (side - 1));
      std::uint64_t sent = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const totals sum = count(generator(mesh_all_gather(ranks, rank, 1, dimensions, false)));
        EXPECT_LE(sum.messages_sent, most);  // equations 3.5 and 3.9
        EXPECT_LE(sum.messages_received, most + (dimensions == 2 ? 2 : 5));
        EXPECT_EQ(sum.bytes_received, wide(ranks - 1));
        // What a rank holds for a hole it sends to a whole line: more than the equations say.
        EXPECT_LE(sum.bytes_sent, wide(ranks + (dimensions == 2 ? side : side * side)));
        sent += sum.bytes_sent;
      }
      EXPECT_EQ(sent, wide(ranks) * wide(ranks - 1));
    }
  }
}

TEST(direct_exchange, gathers_blocks_straight_from_their_owners) {
  using exchange = direct_stages;
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const auto order : {exchange::partners::shifted, exchange::partners::paired}) {
      if (order == exchange::partners::paired && (ranks & (ranks - 1)) != 0) continue;
      for (const int ahead : {0, 1, 3}) {
        const auto made = [&](int rank, std::uint64_t bytes, bool in_place) {
          return generator(direct_exchange(
              ranks, rank, bytes, {order, exchange::payload::same_for_all, ahead}, in_place));
        };
        expect_gathers(ranks, made);
        const totals sum = count(made(ranks / 2, 8, false));  // equations 3.1 and 4.4
        EXPECT_EQ(sum.messages_sent, wide(ranks - 1));
        EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
        EXPECT_EQ(sum.bytes_copied, 8U);
      }
    }
  }
}

TEST(k_shift_all_gather, sends_every_block_once_to_every_rank) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const std::uint64_t k : {1, 2, 3, 7, 8, 64}) {
      SCOPED_TRACE(testing::Message() << "k " << k);
      const auto made = [&](int rank, std::uint64_t bytes, bool in_place) {
        return generator(k_shift_all_gather(ranks, rank, bytes, k, in_place));
      };
      expect_gathers(ranks, made);
      const totals sum = count(made(ranks / 2, 8, false));  // equation 4.6, for any P
      EXPECT_EQ(sum.messages_sent, wide(ranks - 1));
      EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
      EXPECT_EQ(sum.bytes_copied, 8U);
    }
  }
}

TEST(k_shift_all_gather, stays_near_in_all_but_one_of_k_messages) {
  constexpr int ranks = 64;
  int far = 0;
  generator steps(k_shift_all_gather(ranks, 20, 8, 8, true));
  for (step s; steps.next(s);) {
    if (s.kind != step_kind::send) continue;
    if (s.peer == 28) {
      ++far;
    } else {
      EXPECT_TRUE(s.peer >= 16 && s.peer <= 23) << s.peer;
    }
  }
  EXPECT_EQ(far, ranks / 8 - 1);
}

TEST(neighbor_exchange_all_gather, needs_half_as_many_messages) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    if (!neighbor_exchange_serves(ranks)) continue;
    const auto made = [&](int rank, std::uint64_t bytes, bool in_place) {
      return generator(neighbor_exchange_all_gather(ranks, rank, bytes, in_place));
    };
    expect_gathers(ranks, made);
    const totals sum = count(made(ranks / 2, 8, true));
    EXPECT_EQ(sum.messages_sent, wide(ranks / 2));
    EXPECT_EQ(sum.bytes_sent, wide(ranks - 1) * 8);
    EXPECT_EQ(sum.bytes_copied, 0U);
  }
}

TEST(all_gathers, answer_at_once_on_huge_teams) {
  constexpr int ranks = 131'072;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 33U;
  generator shifts(k_shift_all_gather(ranks, 77'777, bytes, 7, false));
  generator neighbours(neighbor_exchange_all_gather(ranks, 77'777, bytes, false));
  generator direct(direct_exchange(ranks, 77'777, bytes, {}, false));
  step s;
  for (int i = 0; i < 1000; ++i) {
    for (generator* each : {&shifts, &neighbours, &direct}) ASSERT_TRUE(each->next(s));
  }
  EXPECT_EQ(count(generator(hypercube_all_gather(ranks, 1, bytes, 0, true))).messages_sent, 17U);
  EXPECT_EQ(
      count(generator(dissemination_all_gather(blocks::alike(ranks, 8), 1, 2, true))).messages_sent,
      17U);
  EXPECT_LE(count(generator(mesh_all_gather(ranks, 1, 8, 2, true))).messages_sent, 2U * 362U);
}
