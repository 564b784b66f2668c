// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is refused of aggregated methods, and what their calls end a job with.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/objects/aggregated.hpp"

namespace {

using namespace upwash;

struct victim : object<std::int32_t> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}
  void take(std::int32_t /*what*/) {}
  void fail(std::int32_t /*what*/) { throw std::runtime_error("out of luck"); }
  void end(std::int32_t /*what*/) { remove(); }
  void leave_for(int member) { migrate_to(member); }
  void call_what_is_not_there() { aggregated<&victim::take>::of(*this)[1].send(1); }
  void wait_for_all(std::int32_t /*what*/) { control::barrier(here().world()); }
};

int at_home(const std::int32_t& index, int members) { return index % members; }

/// What a job of three ranks says in which member `caller` calls `Method` of objects 0 to 2, twice.
template <auto Method>
std::string said_by(int caller, int argument) {
  const auto world = test::sim_of(3);
  return test::message_of(*world, [&](job& here) {
    object_array<victim> all(here.world(), {.name = "victims"}, &at_home);
    all.fill(std::array{0, 1, 2});
    aggregated<Method> of_all(all);
    for (int turn = 0; turn < 2; ++turn) {
      if (here.rank() == caller) of_all[0].send(argument);
      all.quiet();
    }
  });
}

void expect_in(const std::string& said, std::string_view what) {
  EXPECT_NE(said.find(what), std::string::npos) << said;
}

/// What the array's making says in a job of one rank.
std::string said_of(const object_options& of_array, bool twice, const stream_options& with) {
  const auto world = test::loopback_of(1);
  return test::message_of(*world, [&](job& here) {
    object_array<victim> all(here.world(), of_array);
    aggregated<&victim::take> first(all, with);
    if (twice) aggregated<&victim::take> second(all, with);
  });
}

}  // namespace

TEST(aggregated_errors, name_the_object_the_rank_and_the_reason) {
  EXPECT_EQ(said_by<&victim::take>(1, 1), "no error");
  for (int caller = 0; caller < 2; ++caller) {
    expect_in(said_by<&victim::fail>(caller, 1),
              "rank 0, object [0] of victims: a method threw: out of luck");
    expect_in(said_by<&victim::wait_for_all>(caller, 1), "handler");
    expect_in(said_by<&victim::leave_for>(caller, 3),
              "rank 0, object [0] of victims: migrates to member 3 of a team of 3");
  }
  expect_in(said_by<&victim::end>(0, 1),
            "rank 0, object [0] of victims: is called by member 0, but has been removed");
  expect_in(said_by<&victim::end>(1, 1),
            "rank 0, object [0] of victims: is called, but has been removed");
}

TEST(aggregated_errors, name_what_makes_no_sense) {
  EXPECT_EQ(said_of({}, false, {}), "no error");
  expect_in(said_of({.name = "queue", .ordered = true}, false, {}),
            "a method of queue is aggregated, but the array is ordered");
  expect_in(said_of({.name = "queue"}, true, {}),
            "a method of queue is aggregated, but it is already");
  stream_options wrong;
  wrong.dimensions = 5;
  EXPECT_NE(said_of({}, false, wrong), "no error");
  wrong = {};
  wrong.threshold = 0.95;
  expect_in(said_of({}, false, wrong), "threshold 0.95 and cutoff 0.1");
}

TEST(aggregated_errors, name_what_is_called_as_aggregated_but_is_not) {
  const auto world = test::sim_of(2);
  const std::string said = test::message_of(*world, [](job& here) {
    object_array<victim> all(here.world(), {.name = "victims"}, &at_home);
    all.fill(std::array{0, 1});
    if (here.rank() == 0) all[0].send<&victim::call_what_is_not_there>();
    all.quiet();
  });
  expect_in(said, "rank 0, object [0] of victims: calls a method as aggregated that is not");
}

JOB_TEST(aggregated_errors, calls_that_cannot_go_leave_nothing_under_way) {
  object_array<victim> all(here.world(), {}, &at_home);
  all.fill(std::array{0});
  aggregated<&victim::end> end(all);
  if (here.rank() == 0) {
    end[0].send(1);
    EXPECT_THROW(end[0].send(1), error);
  }
  all.quiet();
  EXPECT_EQ(all.size_here(), 0U);
}

JOB_TEST(aggregated_errors, one_that_ended_may_be_made_again) {
  object_array<victim> all(here.world(), {}, &at_home);
  all.fill(std::array{0});
  for (int turn = 0; turn < 3; ++turn) {
    aggregated<&victim::leave_for> leave(all);
    for (int i = 0; i < 10; ++i) leave[0].send((here.rank() + i) % here.size());
  }
  EXPECT_EQ(all_reduce<sum>(here.world(), blocking, all.size_here()), 1U);
}
