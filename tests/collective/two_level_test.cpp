// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two levels, groups even and uneven: right in every interleaving, in the order of ranks, with the
// looks and copies that they claim.
#include "upwash/collective/algorithms/two_level.hpp"

#include <gtest/gtest.h>

#include "tests/collective/cases.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;

template <class Do>
void for_groups(const Do& what) {
  for (int ranks = 1; ranks <= 11; ++ranks) {
    for (int groups = 1; groups <= ranks; ++groups) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks in " << groups << " groups");
      what(ranks, groups);
    }
  }
}

}  // namespace

TEST(two_level, barrier_lets_nobody_leave_before_all_have_come) {
  for_groups([](int ranks, int groups) {
    expectation of;
    of.ranks = ranks;
    of.synchronizes = true;
    expect_valid(
        of,
        [=](int rank) {
          return two_level_barrier({ranks, rank, groups});
        },
        nothing_wanted);
  });
}

TEST(two_level, all_reduce_combines_all_in_order) {
  for_groups([](int ranks, int groups) {
    for (const bool in_place : {false, true}) {
      for (const std::uint64_t bytes : {0, 1, 3}) {
        expectation of;
        of.ranks = ranks;
        of.input_bytes = bytes;
        of.output_bytes = bytes;
        of.in_place = in_place;
        expect_valid(
            of,
            [=](int rank) {
              return two_level_all_reduce({ranks, rank, groups, bytes, in_place});
            },
            [=](int, std::uint64_t e) { return all_ranks(ranks, e); }, 1);
      }
    }
  });
}

TEST(two_level, members_take_a_signal_and_a_look_and_leaders_combine) {
  const auto of_rank = [](int rank) { return two_level_all_reduce({22, rank, 4, 8, false}); };
  // Groups of 6, 6, 5, 5: the leaders are 0, 6, 12, 17.
  const totals member = count(of_rank(8));
  EXPECT_EQ(member.signals, 1U);
  EXPECT_EQ(member.awaits, 1U);
  EXPECT_EQ(member.bytes_copied, 16U);
  const totals leader = count(of_rank(12));
  EXPECT_EQ(leader.signals, 2U) << "one for the other leaders, one for its members";
  EXPECT_EQ(leader.awaits, 4U) << "its members, and three leaders";
  EXPECT_EQ(leader.bytes_reduced, (4 + 3) * 8U);
  EXPECT_EQ(leader.messages_sent, 0U);
}
