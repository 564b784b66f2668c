// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that are made after some time, and those that run where a rank is idle.
#include <limits>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

struct clock_face : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(times, order, ticks);
  }
  void note(int what) {
    order.push_back(what);
    times.push_back(here().now().ps());
  }
  /// Again and again, somewhere else each time.
  void tick(int left) {
    ++ticks;
    times.push_back(here().now().ps());
    if (left == 0) return;
    object_view<clock_face>(*this)[index()].send_after<&clock_face::tick>(
        duration::from_us(5 + index()), left - 1);
    migrate_to((member() + 1) % here().size());
  }
  /// Counts while nothing else is to be done, until a call says that it is enough.
  void background() {
    ++ticks;
    if (!order.empty()) return;
    object_view<clock_face>(*this)[index()].send_first<&clock_face::background>(when_idle);
  }
  /// Many calls of its own, between which the rank is not idle.
  void work(int left, int ticks_before) {
    here().compute(duration::from_us(1));
    const auto all = object_view<clock_face>(*this);
    if (left > 0) return all[index()].send<&clock_face::work>(left - 1, ticks_before);
    note(ticks - ticks_before);
  }
  void begin_work() { work(40, ticks); }

  std::vector<std::int64_t> times;
  std::vector<int> order;
  int ticks = 0;
};

}  // namespace

JOB_TEST(object_timers, make_calls_at_their_time) {
  object_array<clock_face> all(here.world(), {.name = "clocks"});
  all.fill(std::vector<int>{0});
  const std::int64_t before = here.now().ps();
  if (here.rank() == here.size() - 1) {
    all[0].send_after<&clock_face::note>(duration::from_us(300), 3);
    all[0].send_after<&clock_face::note>(duration::from_us(100), 1);
    all[0].send_after<&clock_face::note>(duration::from_us(200), 2);
    all[0].send_after<&clock_face::note>(duration(), 0);
  }
  // Else one that was asked for later is due later, too: a real processor may be away meanwhile.
  const bool asked_at_once = here.now().ps() - before < duration::from_us(100).ps();
  all.quiet();
  if (here.rank() == here.size() - 1) {
    EXPECT_GE(here.now().ps() - before, duration::from_us(300).ps());
  }
  all.for_each_here([&](const clock_face& one) { EXPECT_EQ(one.order.size(), 4U); });
  if (here.size() == 1 && asked_at_once) {
    EXPECT_EQ(all.find(0)->order, (std::vector<int>{0, 1, 2, 3}));
  }
  all.quiet();
}

JOB_TEST(object_timers, go_on_while_objects_migrate) {
  constexpr int objects = 6;
  object_array<clock_face> all(here.world(), {.name = "clocks"});
  all.fill(all_indices<int>({objects}));
  if (here.rank() == 0) all.broadcast<&clock_face::tick>(7);
  all.quiet();
  int found = 0;
  all.for_each_here([&](const clock_face& one) {
    ++found;
    EXPECT_EQ(one.ticks, 8);
  });
  EXPECT_EQ(all_reduce<sum>(here.world(), blocking, found), objects);
  all.quiet();
}

JOB_TEST(object_timers, let_idle_calls_run_behind_all_others) {
  object_array<clock_face> all(here.world(), {.name = "clocks"});
  all.fill(std::vector<int>{0});
  if (here.rank() == 0) {
    all[0].send_first<&clock_face::background>(when_idle);
    all[0].send_first<&clock_face::begin_work>(9);
  }
  all.quiet();
  if (const clock_face* const one = all.find(0)) {
    ASSERT_EQ(one->order.size(), 1U);
    EXPECT_EQ(one->order[0], 0);
    EXPECT_GE(one->ticks, 1);
  }
  all.quiet();
}

TEST(object_timers_sim, take_virtual_time_that_is_exact) {
  run_on(*test::sim_of(3), {}, [](job& here) {
    object_array<clock_face> all(here.world(), {.name = "clocks"},
                                 [](const int& /*index*/, int /*members*/) { return 1; });
    all.fill(std::vector<int>{0});
    std::int64_t asked = 0;
    if (here.rank() == 1) {
      asked = here.now().ps();
      all[0].send_after<&clock_face::note>(duration::from_seconds(2), 0);
    }
    all.quiet();
    if (here.rank() == 1) {
      const std::int64_t late = all.find(0)->times.at(0) - asked - duration::from_seconds(2).ps();
      EXPECT_GE(late, 0);
      EXPECT_LE(late, duration::from_us(50).ps());
    }
    all.quiet();
  });
}

TEST(object_errors, name_times_that_have_passed) {
  const auto world = test::sim_of(2);
  const std::string said = test::message_of(*world, [](job& here) {
    object_array<clock_face> all(here.world(), {.name = "clocks"});
    all.fill(std::vector<int>{0});
    all[0].send_after<&clock_face::note>(duration::from_us(-3), 1);
  });
  EXPECT_NE(said.find("object [0] of clocks: is called after -3.000 us"), std::string::npos)
      << said;
}
