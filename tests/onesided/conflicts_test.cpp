// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checked runs on sim find puts to the same bytes that nothing orders, under every seed and
// whatever their times; and tell of none that the program's own communication orders.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/onesided/conflict_programs.hpp"
#include "upwash/onesided/aggregate.hpp"
#include "upwash/onesided/fence.hpp"
#include "upwash/onesided/fence_barrier.hpp"
#include "upwash/onesided/locks.hpp"
#include "upwash/onesided/semaphore.hpp"
#include "upwash/onesided/transfer.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;
using namespace upwash::test;

/// Both writers, each when it likes.
void both_put(area& in) {
  if (in.here.rank() == 1 || in.here.rank() == 2) put(in.here, in.at(4), first(4)).wait();
}

void overlap_in_part(area& in) {
  if (in.here.rank() == 1) put(in.here, in.at(0), first(8)).wait();
  if (in.here.rank() == 2) put(in.here, in.at(7), first(1)).wait();
}

/// Long after: the other one is complete, but nobody has said so.
void far_apart_in_time(area& in) {
  if (in.here.rank() == 1) put(in.here, in.at(4), first(4)).wait();
  if (in.here.rank() != 2) return;
  in.here.compute(duration::from_us(5000));
  put(in.here, in.at(4), first(4)).wait();
}

void one_rank_twice(area& in) {
  if (in.here.rank() != 1) return;
  put(in.here, in.at(4), first(4), implicit);
  put(in.here, in.at(4), first(4), implicit);
}

/// The message says that it has begun, not that it is complete.
void told_too_early(area& in) {
  const int rank = in.here.rank();
  const team world = in.here.world();
  if (rank == 1) {
    request going = put(in.here, in.at(4), first(4));
    send_value(world, 2);
    going.wait();
  }
  if (rank == 2) {
    receive_value(world, 1);
    put(in.here, in.at(4), first(4)).wait();
  }
}

void a_layout_and_a_put(area& in) {
  const strided every_other{.bytes = 8, .levels = 1, .level = {{{4, 8, 16}}}};
  if (in.here.rank() == 1) put(in.here, in.at(0), first(4), every_other).wait();
  if (in.here.rank() == 2) put(in.here, in.at(6), first(1)).wait();
}

void two_aggregates(area& in) {
  if (in.here.rank() != 1 && in.here.rank() != 2) return;
  aggregate puts(in.here, 0);
  for (std::uint64_t i = 0; i < 8; ++i) puts.put(in.at(8 * in.here.rank() + i), some[i]);
  puts.put(in.at(100), some[0]);
  puts.flush().wait();
}

void unacknowledged_before_a_barrier(area& in) {
  if (in.here.rank() == 1) put(in.here, in.at(4), first(4), unacknowledged).wait();
  control::barrier(in.here.world());
  if (in.here.rank() == 2) put(in.here, in.at(4), first(4)).wait();
}

// -- Ordered -------------------------------------------------------------------------------------

void a_barrier_between(area& in) {
  for (int turn = 0; turn < 6; ++turn) {
    if (in.here.rank() == turn % 3) put(in.here, in.at(4), first(4)).wait();
    control::barrier(in.here.world());
  }
}

void told_when_complete(area& in) {
  const int rank = in.here.rank();
  const team world = in.here.world();
  for (int turn = 0; turn < 4; ++turn) {
    const int writer = 1 + turn % 2;
    if (rank == writer) {
      if (turn != 0) receive_value(world, 3 - writer);
      put(in.here, in.at(4), first(4)).wait();
      send_value(world, 3 - writer);
    }
  }
  if (rank == 1) receive_value(world, 2);
}

/// The owner passes on what it has seen of a signal.
void by_the_owner(area& in) {
  const int rank = in.here.rank();
  semaphore_set seen(in.here.world(), 1);
  if (rank == 1) seen.put_and_post(in.at(4), first(4), 0).wait();
  if (rank == 0) {
    seen.wait(0);
    seen.post(2, 0).wait();
  }
  if (rank == 2) {
    seen.wait(0);
    put(in.here, in.at(4), first(4)).wait();
  }
  control::barrier(in.here.world());
  seen.release();
}

/// The same behind a layout.
void by_the_owner_of_a_layout(area& in) {
  const int rank = in.here.rank();
  const strided every_other{.bytes = 8, .levels = 1, .level = {{{4, 8, 16}}}};
  semaphore_set seen(in.here.world(), 1);
  for (const std::size_t packed_below : {std::size_t{0}, ~std::size_t{0}}) {
    if (rank == 1) {
      seen.put_and_post(in.at(4), first(4), every_other, 0, 1, {packed_below}).wait();
    }
    if (rank == 0) {
      seen.wait(0);
      seen.post(2, 0).wait();
    }
    if (rank == 2) {
      seen.wait(0);
      put(in.here, in.at(4), first(8)).wait();
    }
    control::barrier(in.here.world());
  }
  seen.release();
}

void in_a_lock(area& in) {
  for (const lock_kind kind : {lock_kind::queue, lock_kind::hybrid, lock_kind::server}) {
    lock_set locks(in.here.world(), 1, kind);
    for (int turn = 0; turn < 3; ++turn) {
      locks.lock(0, 0);
      put(in.here, in.at(4), first(4)).wait();
      locks.unlock(0, 0);
    }
    control::barrier(in.here.world());
    locks.release();
  }
}

void by_fences(area& in) {
  const int rank = in.here.rank();
  if (rank == 1) {
    put(in.here, in.at(4), first(4), unacknowledged).wait();
    fence(in.here, 0);
  }
  control::barrier(in.here.world());
  if (rank == 2) put(in.here, in.at(4), first(4), unacknowledged).wait();
  fence_barrier(in.here.world());
  if (rank == 1) put(in.here, in.at(4), first(4), implicit);
  fence_barrier(in.here.world());
  if (rank == 2) {
    aggregate puts(in.here, 0);
    puts.put(in.at(4), some[0]);
    puts.flush().wait();
  }
  in.here.quiet();
  control::barrier(in.here.world());
}

void by_a_flag(area& in) {
  const int rank = in.here.rank();
  if (rank == 1) {
    put(in.here, in.at(4), first(4)).wait();
    static_cast<void>(fetch_add(in.here, in.at(200), word{1}));
  }
  if (rank == 2) {
    while (fetch_add(in.here, in.at(200), word{0}) == 0) in.here.progress();
    put(in.here, in.at(4), first(4)).wait();
  }
}

void side_by_side(area& in) {
  const auto rank = static_cast<std::uint64_t>(in.here.rank());
  for (std::uint64_t i = 0; i < 20; ++i) {
    put(in.here, in.at(20 * rank + i), first(1), implicit);
  }
}

/// What waits to begin must not make what goes meanwhile look older than it is: rank 3's key is on
/// its way while rank 1 writes, and tells rank 2.
void beside_one_that_waits(area& in) {
  const int rank = in.here.rank();
  const team world = in.here.world();
  if (rank == 3) in.here.compute(duration::from_us(500));
  if (rank == 1) {
    put(in.here, in.memory.at<word>(3, 0), first(2), implicit);
    put(in.here, in.at(4), first(4)).wait();
    send_value(world, 2);
  }
  if (rank == 2) {
    receive_value(world, 1);
    put(in.here, in.at(4), first(4)).wait();
  }
}

/// Likewise the owner's own operation that waits, and its answers to others.
void at_an_owner_that_waits(area& in) {
  const int rank = in.here.rank();
  if (rank == 3) in.here.compute(duration::from_us(500));
  if (rank == 0) put(in.here, in.memory.at<word>(3, 0), first(2), implicit);
  for (int turn = 0; rank == 2 && turn < 20; ++turn) put(in.here, in.at(4), first(4)).wait();
}

/// New regions lie where old ones were.
void memory_that_comes_again(area& in) {
  for (int turn = 0; turn < 4; ++turn) {
    region again = allocate(in.here.world(), 256);
    control::barrier(in.here.world());
    if (in.here.rank() == 1 + turn % 2) put(in.here, again.at<word>(0, 4), first(4)).wait();
    control::barrier(in.here.world());
    free(again);
  }
}

constexpr std::uint64_t seeds = 8;

class conflicts : public testing::TestWithParam<bool> {};

/// Perturbation orders some of them by chance: what comes late of the barrier before carries news.
TEST_P(conflicts, are_found) {
  const std::initializer_list<program> programs{
      &both_put,       &overlap_in_part,    &far_apart_in_time, &one_rank_twice,
      &told_too_early, &a_layout_and_a_put, &two_aggregates};
  for (const program& each : programs) {
    EXPECT_GT(times_found(each, GetParam(), seeds), seeds / 2)
        << "program " << &each - programs.begin();
  }
}

/// Where the owner has the data before it comes to the barrier, that orders them all the same.
TEST_P(conflicts, with_a_race_are_found_under_some_seeds) {
  const nameless_calls fast;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string said = outcome_of(&unacknowledged_before_a_barrier, GetParam(), seed);
    if (said != "no error") ++found;
    EXPECT_TRUE(said == "no error" || said.find("nothing orders") != std::string::npos) << said;
  }
  EXPECT_GT(found, 0);
}

TEST_P(conflicts, are_none_where_the_program_orders) {
  for (const program each :
       {&a_barrier_between, &told_when_complete, &by_the_owner, &in_a_lock, &by_fences, &by_a_flag,
        &by_the_owner_of_a_layout, &side_by_side, &memory_that_comes_again, &beside_one_that_waits,
        &at_an_owner_that_waits}) {
    for (std::uint64_t seed = 0; seed <= seeds; ++seed) {
      EXPECT_EQ(outcome_of(each, GetParam(), seed), "no error") << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, conflicts, testing::Bool(), [](const auto& which) {
  return which.param ? "written_by_the_network" : "served_by_owners";
});

TEST(conflict_report, names_ranks_bytes_and_calls) {
  const std::string said = outcome_of(&overlap_in_part, true, 0);
  EXPECT_NE(said.find("write bytes 56 to 64 of the "), std::string::npos) << said;
  EXPECT_NE(said.find("that rank 0 has in a segment"), std::string::npos) << said;
  EXPECT_NE(said.find("first  rank "), std::string::npos) << said;
  const auto calls = said.find("overlap_in_part");
  ASSERT_NE(calls, std::string::npos) << said;
  EXPECT_NE(said.find("overlap_in_part", calls + 1), std::string::npos) << "both callers\n" << said;
}

}  // namespace
