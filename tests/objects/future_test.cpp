// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Futures: what ranks and methods wait for when they call objects.
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/core/blocking.hpp"
#include "upwash/objects/future.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

struct account : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(balance, learnt);
  }
  void tell(promise<int> to) { to.set_value(here(), 10 * index() + balance); }
  void tell_text(promise<std::string> to) {
    to.set_value(here(), "account " + std::to_string(index()));
  }
  void add_up(promise<int> total) { contribute<sum>(balance, total); }
  void add_up_each(promise<std::vector<int>> total) {
    contribute<elementwise<sum>>(std::vector<int>{1, balance}, total);
  }
  void pay(int more) { balance += more; }
  void wander(int to) { migrate_to(to); }
  /// Asks the next one, and waits for what it says.
  void ask(int objects) {
    future<int> said(here());
    object_view<account>(*this)[(index() + 1) % objects].send<&account::tell>(said.get_promise());
    learnt = said.get();
  }
  using methods_that_wait = methods<&account::ask>;

  int balance = 0;
  int learnt = -1;
};

}  // namespace

JOB_TEST(object_futures, bring_results_to_ranks_that_wait) {
  constexpr int objects = 12;
  object_array<account> all(here.world(), {.name = "accounts"});
  all.fill(all_indices<int>({objects}));
  for (int round = 0; round < 3; ++round) {
    const int which = (here.rank() + round) % objects;
    future<int> one(here);
    future<std::string> text(here);
    EXPECT_FALSE(one.ready());
    all[which].send<&account::tell>(one.get_promise());
    all[which].send<&account::tell_text>(text.get_promise());
    EXPECT_EQ(one.get(), 10 * which);
    EXPECT_EQ(one.get(), 10 * which);
    EXPECT_EQ(text.get(), "account " + std::to_string(which));
  }
  all.quiet();
}

JOB_TEST(object_futures, are_targets_of_reductions) {
  constexpr int objects = 9;
  object_array<account> all(here.world(), {.name = "accounts"});
  all.fill(all_indices<int>({objects}));
  for (int round = 1; round <= 4; ++round) {
    if (here.rank() == round % here.size()) {
      future<int> total(here);
      future<std::vector<int>> both(here);
      all.broadcast<&account::pay>(round);
      all.broadcast<&account::add_up>(total.get_promise());
      all.broadcast<&account::wander>(round % here.size());
      all.broadcast<&account::add_up_each>(both.get_promise());
      const int paid = round * (round + 1) / 2;
      EXPECT_EQ(total.get(), objects * paid);
      EXPECT_EQ(both.get(), (std::vector<int>{objects, objects * paid}));
    }
    all.quiet();
  }
}

JOB_TEST(object_futures, suspend_methods_that_may_wait) {
  constexpr int objects = 7;
  object_array<account> all(here.world(), {.name = "accounts"});
  all.fill(all_indices<int>({objects}));
  if (here.rank() == 0) all.broadcast<&account::ask>(objects);
  all.quiet();
  all.for_each_here(
      [&](const account& one) { EXPECT_EQ(one.learnt, 10 * ((one.index() + 1) % objects)); });
  all.quiet();
}

JOB_TEST(object_futures, drop_values_for_those_that_are_no_more) {
  object_array<account> all(here.world(), {.name = "accounts"});
  all.fill(all_indices<int>({4}));
  promise<int> left;
  {
    const future<int> gone(here);
    left = gone.get_promise();
  }
  all[1].send<&account::tell>(left);
  all.quiet();
  future<int> next(here);
  EXPECT_NE(next.get_promise().number, left.number);
  all[2].send<&account::tell>(next.get_promise());
  EXPECT_EQ(next.get(), 20);
  all.quiet();
}

TEST(object_errors, name_promises_that_are_broken) {
  const auto said_of = [](auto what) {
    const auto world = test::sim_of(2);
    return test::message_of(*world, [&](job& here) {
      object_array<account> all(here.world(), {.name = "accounts"});
      all.fill(std::vector<int>{0, 1});
      what(here, all);
      all.quiet();
    });
  };
  const std::string twice = said_of([](job& here, auto& all) {
    future<int> once(here);
    all[0].template send<&account::tell>(once.get_promise());
    all[1].template send<&account::tell>(once.get_promise());
    all.quiet();
  });
  EXPECT_NE(twice.find("a future gets a second value"), std::string::npos) << twice;
  const std::string none =
      said_of([](job&, auto& all) { all[0].template send<&account::tell>(promise<int>()); });
  EXPECT_NE(none.find("a promise that names no future"), std::string::npos) << none;
  const std::string never = said_of([](job& here, auto&) {
    future<int> waited(here);
    static_cast<void>(waited.get());
  });
  EXPECT_NE(never.find("future::get"), std::string::npos) << never;
}
