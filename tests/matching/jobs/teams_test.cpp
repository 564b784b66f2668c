// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams come and go, with messages that are received, lost, or late: nothing of them stays.
#include <malloc.h>

#include <array>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/matching/messages.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

/// A team with messages that are received, and, in some turns, with one that is not: it may come
/// after the receiver has released the team.
void come_and_go(const team& world, int turn) {
  team mine = turn % 2 == 0 ? world.duplicate() : world.split(world.rank() % 2, turn);
  const int next = (mine.rank() + 1) % mine.size();
  const int before = (mine.rank() + mine.size() - 1) % mine.size();
  std::array<std::byte, 40> out{};
  std::array<std::byte, 40> into{};
  request going = m::send(mine, next, 1, out);
  EXPECT_EQ(m::receive(mine, before, 1, into).wait().bytes, out.size());
  going.wait();
  if (turn % 3 == 0) m::send(mine, next, 2, out).wait();
  mine.release();
}

}  // namespace

JOB_TEST(teams, a_thousand_leave_nothing_behind, .least_ranks = 2, .most_ranks = 3,
         .on_packets = false, .shares_process = false) {
  constexpr int turns = test::sanitized ? 200 : 1000;
  constexpr int warm = 100;
  const team world = here.world();
  std::size_t held = 0;
  for (int turn = 0; turn < turns; ++turn) {
    come_and_go(world, turn);
    if (turn == warm) held = mallinfo2().uordblks;
    ASSERT_LE(m::memory_of(here).contexts, 1U) << turn;
  }
  control::barrier(world);
  here.progress();
  EXPECT_EQ(m::memory_of(here).contexts, 0U);
  EXPECT_EQ(m::memory_of(here).kept, 0U);
  // All ranks of a process are in this number, and what they have under way.
  EXPECT_LE(mallinfo2().uordblks, held + 60'000U);
}
