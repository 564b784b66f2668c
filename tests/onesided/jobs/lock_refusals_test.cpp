// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What sets of locks refuse.
#include <string>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/onesided/locks.hpp"

namespace {

using namespace upwash;

std::string refusal(void (*body)(job&)) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) { body(here); });
}

}  // namespace

TEST(locks, what_makes_no_sense_is_refused) {
  EXPECT_EQ(refusal([](job& here) {
              lock_set locks(here.world(), 2, lock_kind::queue);
              if (here.rank() == 1) locks.unlock(0, 1);
              locks.release();
            }),
            "rank 1: unlock of lock 1 at member 0, which this rank does not hold; only the holder "
            "hands it over");
  EXPECT_EQ(refusal([](job& here) {
              lock_set locks(here.world(), 2, lock_kind::ticket);
              if (here.rank() == 1) locks.lock(2, 0);
              locks.release();
            }),
            "rank 1: lock of a lock at member 2; the team has members 0 to 1");
  EXPECT_EQ(refusal([](job& here) {
              lock_set locks(here.world(), 2, lock_kind::server);
              if (here.rank() == 1) (void)locks.try_lock(0, 2);
              locks.release();
            }),
            "rank 1: try_lock of lock 2 at member 0; the set has 2 at each, counted from 0");
  EXPECT_EQ(refusal([](job& here) {
              lock_set locks(here.world(), 2, lock_kind::hybrid);
              if (here.rank() == 1) {
                locks.lock(0, 1);
                locks.lock(0, 1);
              }
              locks.release();
            }),
            "rank 1: lock of lock 1 at member 0, which this rank holds already: it would wait for "
            "itself");
  EXPECT_EQ(refusal([](job& here) {
              lock_set locks(here.world(), 2, lock_kind::queue, 1);
              if (here.rank() == 1) {
                locks.lock(0, 1);
                locks.lock(0, 0);
              }
              locks.release();
            }),
            "rank 1: lock of lock 0 at member 0 by a rank that holds 1 of the set already, the "
            "most it was made for; unlock one before, or make the set with more (most_held)");
  EXPECT_EQ(refusal([](job& here) {
              lock_set locks(here.world(), 2, lock_kind::queue);
              if (here.rank() == 0) locks.lock(1, 0);
              locks.release();
            }),
            "rank 0: release of a set of locks of which this rank holds 1 (lock 0 at member 1); "
            "unlock before");
}

TEST(locks, sets_that_make_no_sense_are_refused) {
  EXPECT_EQ(refusal([](job& here) {
              if (here.rank() == 0) lock_set(here.world(), -1, lock_kind::queue);
            }),
            "rank 0: a set of -1 locks a rank, 64 held at most; give 0 or more locks, and 1 or "
            "more that can be held");
  const std::string said =
      refusal([](job& here) { lock_set(here.world(), 2 + here.rank(), lock_kind::queue); });
  const std::string rank = said.substr(0, 6);
  EXPECT_EQ(said, rank + ": a set of " + (rank == "rank 0" ? "2" : "3") +
                      " queue locks a rank, 64 held at most, and another member asks for another "
                      "one; give the same numbers and kind at all members");
  const auto world = test::sim_of(1);
  EXPECT_EQ(test::message_of(*world, [](job& /*here*/) { lock_set().lock(0, 0); }),
            "lock of a lock in a set that was not made, or is released");
}
