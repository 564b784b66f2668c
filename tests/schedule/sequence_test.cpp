// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of schedules on one tape: ranks, edges, and what waits for what.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/schedule/listed.hpp"
#include "upwash/schedule/sequence.hpp"

namespace {

using namespace upwash::schedule;

/// Two messages each in a pair of ranks: what came goes back.
struct ping {
  int position = 0;
  std::uint32_t at = 0;
  mark received = never;

  bool next(step& out, tape& on) {
    if (at == 2) return false;
    out.peer = 1 - position;
    const bool sends = (at == 0) == (position == 0);
    out.kind = sends ? step_kind::send : step_kind::receive;
    out.edge = out.round = sends == (position == 0) ? 0 : 1;
    if (sends) {
      on.emit(out, received);
    } else {
      received = on.emit(out);
    }
    ++at;
    return true;
  }
  [[nodiscard]] std::uint32_t window() const { return 1; }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return 0; }
};

}  // namespace

TEST(sequence, names_members_by_position) {
  constexpr members among{.first = 2, .stride = 5, .odd_position = 1, .odd_rank = 9};
  EXPECT_EQ(among.rank_of(0), 2);
  EXPECT_EQ(among.rank_of(1), 9);
  EXPECT_EQ(among.rank_of(2), 12);
}

TEST(sequence, places_a_part_among_others) {
  // Behind two steps, for ranks 4 and 7: positions 0 and 1.
  tape on(2);
  ping part{.position = 1};
  const placement as{
      .among = {.first = 4, .stride = 3}, .first_edge = 10, .first_round = 20, .entry = 1};
  step s;
  ASSERT_TRUE(part.next(s, on));
  place(s, as, on);
  EXPECT_EQ(s.peer, 4);
  EXPECT_EQ(s.edge, 10U);
  EXPECT_EQ(s.round, 20U);
  EXPECT_EQ(s.after[0], 2U);  // the entry, as it waits for nothing else
  s = {};
  ASSERT_TRUE(part.next(s, on));
  place(s, as, on);
  EXPECT_EQ(s.edge, 11U);
  EXPECT_EQ(s.after[0], 1U);  // its own receive, which is behind the entry
}

TEST(sequence, names_owners_of_memory_too) {
  const tape on(1);
  step s = copy(of_rank(2, whole_input), whole_output);
  place(s, {.among = {.first = 10, .stride = 2}}, on);
  EXPECT_EQ(s.left.owner, 14);
  EXPECT_EQ(s.into.owner, own);
  EXPECT_EQ(s.peer, own);
}

TEST(sequence, begins_a_part_when_all_before_it_is_done) {
  tape on(5);
  ping part;
  mark begun = never;
  step s;
  ASSERT_TRUE(part.next(s, on));
  place_behind_all(s, {}, begun, on);
  EXPECT_TRUE(s.after_all);
  s = {};
  ASSERT_TRUE(part.next(s, on));
  place_behind_all(s, {}, begun, on);
  EXPECT_FALSE(s.after_all);
  EXPECT_EQ(s.after[0], 1U);  // a receive that does not run ahead of the first step
}
