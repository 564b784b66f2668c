// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a simulated job ends: deadlocks are named, exceptions end all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/conduit/sim/sim_fixture.hpp"
#include "upwash/base/error.hpp"

namespace {

using namespace upwash;
using namespace upwash::conduit;
using namespace upwash::conduit::sim_test;

TEST(sim_ending, deadlock_names_what_each_rank_waits_for) {
  simulated_job job(on_textbook(3));
  try {
    job.run([](rank_box& me) {
      if (me.rank() == 0) return;
      me.at().compute(me.rank(), duration::from_us(me.rank() * 10));
      const wait_target never = wait_target::predicate([](const void*) { return false; }, nullptr);
      const wait_reason why{
          .operation = "all_reduce", .peer = 0, .bytes = 8, .team = 16, .number = 17};
      while (!never.ready()) {
        if (me.at().poll(me.rank()) == 0) me.at().idle(me.rank(), never, why);
      }
    });
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error_kind::fault);
    EXPECT_STREQ(
        e.what(),
        "deadlock at 20.000 us of virtual time: nothing is left to happen and 2 of 3 ranks "
        "wait\n"
        "  rank  what it does         peer  tag  team  number  bytes  for\n"
        "  0     has ended            -     -    -     -       -      -\n"
        "  1, 2  waits in all_reduce  0     -    0x10  17      8      10.000 us\n"
        "  conclusion: ranks 1, 2 wait in all_reduce for rank 0, which has ended");
  }
}

TEST(sim_ending, deadlock_is_not_before_what_the_ranks_did_last) {
  simulated_job job(on_textbook(2));
  try {
    job.run([](rank_box& me) {
      if (me.rank() == 0) return;
      me.at().charge(1, cost::poll, 1);  // no event: nothing else happens then
      const wait_target never = wait_target::predicate([](const void*) { return false; }, nullptr);
      const wait_reason why{.operation = "barrier"};
      for (;;) me.at().idle(1, never, why);
    });
    FAIL();
  } catch (const error& e) {
    const std::string what = e.what();
    const auto time_behind = [&what](const std::string& word) {
      const auto at = what.find(word);
      return at == what.npos
                 ? std::string("none")
                 : what.substr(at + word.size(), what.find(" us", at) - at - word.size());
    };
    EXPECT_NE(time_behind("deadlock at "), "0.000") << what;
    EXPECT_NE(what.find(" 0.000 us"), what.npos) << "it waits since then: " << what;
  }
}

TEST(sim_ending, deadlock_of_many_ranks_has_a_line_for_what_they_have_in_common) {
  simulated_job job(on_textbook(50));
  try {
    job.run([](rank_box& me) { me.wait_for(1); });
    FAIL();
  } catch (const error& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("\n  0-49  waits in messages "), what.npos) << what;
    EXPECT_EQ(std::count(what.begin(), what.end(), '\n'), 2) << what;
  }
}

struct counted {
  explicit counted(int& alive) : alive_(alive) { ++alive_; }
  ~counted() { --alive_; }
  int& alive_;
};

TEST(sim_ending, first_exception_is_rethrown_and_others_unwind) {
  simulated_job job(on_textbook(5));
  int alive = 0;
  try {
    job.run([&](rank_box& me) {
      const counted on_stack(alive);
      if (me.rank() == 3) {
        me.at().compute(3, duration::from_us(5));
        throw std::runtime_error("rank 3 has had enough");
      }
      me.wait_for(1);
    });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "rank 3 has had enough");
  }
  EXPECT_EQ(alive, 0);
}

// What a dropped rank holds leaks by design, which the address sanitizer would report.
#if !defined(__SANITIZE_ADDRESS__)
struct waits_at_the_end {
  rank_box& me;
  ~waits_at_the_end() { me.wait_for(1); }
};

TEST(sim_ending, rank_that_waits_while_it_unwinds_is_dropped) {
  simulated_job job(on_textbook(2));
  EXPECT_THROW(job.run([](rank_box& me) {
    if (me.rank() == 1) throw std::runtime_error("no");
    const waits_at_the_end at_end{me};
    me.wait_for(1);
  }),
               std::runtime_error);
}
#endif

TEST(sim_ending, world_can_run_again) {
  simulated_job job(on_textbook(4));
  EXPECT_THROW(job.run([](rank_box& me) { me.wait_for(1); }), error);
  job.run([](rank_box& me) { me.send((me.rank() + 1) % 4, 0), me.wait_for(1); });
  EXPECT_EQ(job.report().messages, 4U);
}

TEST(sim_ending, bad_options_are_named) {
  const auto message_of = [](sim_options options) -> std::string {
    try {
      (void)make_sim_world(std::move(options));
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message_of(on_textbook(0)),
            "the number of ranks of a simulated job is 0; valid: 1 and up");
  EXPECT_EQ(message_of({}), "machine \"\" has no levels");
}

}  // namespace
