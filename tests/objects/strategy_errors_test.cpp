// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Brackets that do not end, and strategies that lose calls or run them twice: nothing hangs that
// can be told, and what is wrong is named.
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/packed_message.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/objects/object_group.hpp"
#include "upwash/objects/strategies.hpp"

namespace {

using namespace upwash;

struct caller : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(heard);
  }
  void hear(int what) { heard.push_back(what); }
  void begin(strategy_id by, int calls) {
    const auto others = object_view<caller>(*this).with(by);
    others.begin();
    for (int to = 0; to < calls; ++to) others[to].send<&caller::hear>(index());
  }
  void end(strategy_id by) { object_view<caller>(*this).with(by).end(); }
  void begin_and_end(strategy_id by, int calls) {
    begin(by, calls);
    end(by);
  }
  void call(strategy_id by, int to) {
    object_view<caller>(*this).with(by)[to].send<&caller::hear>(index());
  }
  void call_by_priority(strategy_id by, object_section<caller> all) {
    const auto others = object_view<caller>(*this).with(by);
    others.begin();
    if (index() == 0) {
      others[all].send_first<&caller::hear>(5, 1);
      others[all].send<&caller::hear>(2);
      others[all].send_first<&caller::hear>(-5, 3);
    }
    others.end();
  }

  std::vector<int> heard;
};

/// Calls others back, later.
struct clerk : object<int> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}
  void end_all(array_id<caller> of, strategy_id by) {
    object_view<caller>(here(), of).broadcast<&caller::end>(by);
  }
  void wait_and_end(array_id<caller> of, strategy_id by) {
    object_view<clerk>(*this)[index()].send_after<&clerk::end_all>(duration::from_us(200), of, by);
  }
};

void arrive(incoming& in) { static_cast<void>(run_packed(in.here(), in.source(), in.payload())); }

/// Sends each call so often.
class repeating final : public strategy {
 public:
  explicit repeating(int times) : times_(times) {}
  [[nodiscard]] std::string_view name() const override { return "repeating"; }
  [[nodiscard]] bool bracketed() const override { return false; }
  void at_fence(const team& among, const call_pattern& /*mean*/) override { among_ = among; }
  void insert(int member, std::span<const std::byte> message, int /*priority*/) override {
    for (int i = 0; i < times_; ++i) {
      send_medium<&arrive>(among_.here(), among_.world_rank(member), message);
    }
  }

 private:
  int times_;
  team among_;
};

using callers = object_array<caller>;

/// What a job of two ranks says where object n is on rank n % 2.
std::string said_by(
    void (*act)(callers& all, strategy_id by),
    std::unique_ptr<strategy> (*make)() = [] { return each_to_many("mesh2d"); }) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) {
    callers all(here.world(), {.name = "callers"}, round_robin<int>({4}));
    all.fill(std::vector<int>{0, 1, 2, 3});
    const strategy_id by = all.bind(make());
    act(all, by);
    all.quiet();
  });
}

bool says(const std::string& said, std::string_view what) {
  return said.find(what) != std::string::npos;
}

}  // namespace

TEST(object_errors, name_an_object_that_does_not_end_its_bracket) {
  const std::string said = said_by([](callers& all, strategy_id by) {
    if (all.members().rank() == 0) all[1].send<&caller::begin>(by, 4);
  });
  EXPECT_TRUE(says(said,
                   "callers, member 1: rank 1, object [1] of callers: is between begin and "
                   "end of its calls by each_to_many, and nothing is under way"))
      << said;
}

TEST(object_errors, name_an_object_that_ends_fewer_brackets) {
  const std::string said = said_by([](callers& all, strategy_id by) {
    if (all.members().rank() == 0) all[1].send<&caller::begin_and_end>(by, 4);
  });
  EXPECT_TRUE(says(said,
                   "member 0: rank 0, object [0] of callers: has ended 0 brackets of calls "
                   "by each_to_many, and others 1"))
      << said;
}

TEST(object_errors, name_a_strategy_that_runs_calls_twice) {
  const std::string said = said_by(
      [](callers& all, strategy_id by) {
        if (all.members().rank() == 0) all[0].send<&caller::call>(by, 1);
      },
      []() -> std::unique_ptr<strategy> { return std::make_unique<repeating>(2); });
  EXPECT_TRUE(says(said,
                   "calls of callers have run that nobody made: strategy repeating was given "
                   "1 calls and has brought 2"))
      << said;
}

/// What is lost cannot be told from what is slow: the report of a job that hangs names it.
TEST(object_errors, count_the_calls_that_strategies_were_given) {
  const auto world = test::sim_of(2);
  std::string pending;
  run_on(*world, {}, [&](job& here) {
    callers all(here.world(), {.name = "callers"}, round_robin<int>({4}));
    all.fill(std::vector<int>{0, 1, 2, 3});
    const strategy_id loses = all.bind(std::make_unique<repeating>(0));
    const strategy_id keeps = all.bind(std::make_unique<repeating>(1));
    if (here.rank() == 0) all.with(loses)[1].send<&caller::hear>(7);
    if (here.rank() == 1) all.with(keeps)[0].send<&caller::hear>(7);
    for (int turn = 0; turn < 1000; ++turn) here.progress();
    control::barrier(here.world());
    if (here.rank() == 0) pending = all.view().core().describe_pending();
  });
  EXPECT_EQ(pending,
            "of calls by repeating since the last quiet 1 were made here, 0 came here; "
            "of calls by repeating since the last quiet 0 were made here, 1 came here");
}

JOB_TEST(object_strategies, wait_for_brackets_that_another_array_ends) {
  callers all(here.world(), {.name = "callers"});
  all.fill(std::vector<int>{0, 1, 2, 3, 4});
  object_group<clerk> clerks(here.world(), {.name = "clerks"});
  const strategy_id by = all.bind(each_to_many());
  if (here.rank() == 0) {
    all.broadcast<&caller::begin>(by, 5);
    clerks[here.size() - 1].send<&clerk::wait_and_end>(all.id(), by);
  }
  quiet_together(all, clerks.array());
  all.for_each_here([](const caller& one) { EXPECT_EQ(one.heard.size(), 5U); });
  all.quiet();
}

JOB_TEST(object_strategies, carry_calls_of_sections_by_priority) {
  callers all(here.world(), {.name = "callers"});
  all.fill(std::vector<int>{0, 1, 2, 3, 4});
  object_section<caller> some;
  if (here.rank() == callers::by_hash(0, here.size())) some = all.section(std::vector{0, 2, 3});
  broadcast(here.world(), blocking, callers::by_hash(0, here.size()), std::span(&some.id, 1));
  const strategy_id by = all.bind(each_to_many_multicast("direct"));
  if (here.rank() == 0) all.broadcast<&caller::call_by_priority>(by, some);
  all.quiet();
  all.for_each_here([](const caller& one) {
    const bool called = one.index() == 0 || one.index() == 2 || one.index() == 3;
    EXPECT_EQ(one.heard, called ? (std::vector{3, 2, 1}) : std::vector<int>()) << one.index();
  });
  all.quiet();
}
