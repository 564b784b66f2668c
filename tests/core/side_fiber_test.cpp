// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank runs aside from its main flow: its waits, its errors, its stack.
#include "upwash/core/side_fiber.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/service.hpp"

namespace {

using namespace upwash;

/// Runs functions aside, and goes on with them in progress.
class asides final : public service_base {
 public:
  explicit asides(job& here) : here_(here), stacks_(here) {}

  void begin(void (*run)(void*), void* argument) {
    open_.push_back(&stacks_.begin(run, argument));
    ++begun;
    host(here_).set_busy(*this, true);
  }
  [[nodiscard]] bool wants_progress() const override { return true; }
  int progress() override {
    int moved = 0;
    const std::vector<side_fiber*> now = open_;
    for (side_fiber* const one : now) {
      if (!one->ready()) continue;
      const bool again = one->tries_again();
      one->resume();
      moved += again && one->tries_again() ? 0 : 1;
      if (!one->over()) continue;
      if (const auto failure = one->take_failure()) failures.push_back(failure);
      stacks_.give_back(*one);
      std::erase(open_, one);
    }
    host(here_).set_busy(*this, !open_.empty());
    return moved;
  }
  [[nodiscard]] const std::vector<side_fiber*>& open() const { return open_; }
  void await_all() {
    const auto over = [](const void* me) { return static_cast<const asides*>(me)->open_.empty(); };
    host(here_).wait(conduit::wait_target::predicate(over, this), {.operation = "all asides"});
  }

  int begun = 0;
  std::vector<std::exception_ptr> failures;

 private:
  job& here_;
  side_fibers stacks_;
  std::vector<side_fiber*> open_;
};

struct meeting {
  team among;
  int met = 0;
};

void meet(void* with) {
  auto& of = *static_cast<meeting*>(with);
  for (int i = 0; i < 3; ++i) {
    control::barrier(of.among);
    ++of.met;
  }
}

}  // namespace

JOB_TEST(side_fiber, waits_while_the_main_flow_does) {
  auto& aside = here.service<asides>();
  std::vector<meeting> all;
  for (int i = 0; i < 9; ++i) all.push_back({here.world().duplicate()});
  for (meeting& each : all) aside.begin(&meet, &each);
  // The main flow has waits of its own, and ranks come to them at different times.
  for (int i = 0; i < 5; ++i) {
    here.compute(duration::from_us(here.rank()));
    control::barrier(here.world());
  }
  aside.await_all();
  for (const meeting& each : all) EXPECT_EQ(each.met, 3);
  EXPECT_TRUE(aside.failures.empty());
  EXPECT_EQ(aside.begun, 9);
  control::barrier(here.world());
}

namespace {

struct word {
  job* here;
  region of;
  std::uint64_t seen = 0;
};

void await_word(void* with) {
  auto& of = *static_cast<word*>(with);
  const std::uint64_t* const mine = of.of.mine_as<std::uint64_t>().data();
  wait_until(*of.here, *mine, conduit::comparison::greater_equal, 7);
  of.seen = *mine;
}

}  // namespace

JOB_TEST(side_fiber, sees_words_that_peers_store_while_the_main_flow_waits_for_another) {
  auto& aside = here.service<asides>();
  region words = allocate(here.world(), 2 * sizeof(std::uint64_t));
  std::uint64_t* const mine = words.mine_as<std::uint64_t>().data();
  mine[0] = mine[1] = 0;
  control::barrier(here.world());
  word of{&here, words};
  aside.begin(&await_word, &of);
  here.progress();
  const int next = (here.rank() + 1) % here.size();
  put_value(here, words.at<std::uint64_t>(next), 7);
  aside.await_all();
  EXPECT_EQ(of.seen, 7U);
  put_value(here, words.at<std::uint64_t>(next) + 1, 8);
  wait_until(here, mine[1], conduit::comparison::greater_equal, 8);
  control::barrier(here.world());
  free(words);
}

namespace {

void throw_after_giving_way(void* with) {
  job& here = *static_cast<job*>(with);
  here.progress();
  throw error(error_kind::fault, "a failure aside");
}

void wait_in_vain(void* with) {
  job& here = *static_cast<job*>(with);
  std::uint64_t never = 0;
  wait_until(here, never, conduit::comparison::not_equal, 0);
}

void finish_aside(void* with) { host(*static_cast<job*>(with)).finish(); }

}  // namespace

JOB_TEST(side_fiber, keeps_what_it_throws_for_who_resumed_it) {
  auto& aside = here.service<asides>();
  aside.begin(&throw_after_giving_way, &here);
  aside.begin(&finish_aside, &here);
  aside.await_all();
  ASSERT_EQ(aside.failures.size(), 2U);
  std::vector<std::string> said;
  for (const auto& each : aside.failures) {
    try {
      std::rethrow_exception(each);
    } catch (const error& e) {
      said.emplace_back(e.what());
    }
  }
  EXPECT_EQ(said[1], "a failure aside");
  EXPECT_NE(said[0].find("finish on a fiber aside"), std::string::npos) << said[0];
}

TEST(side_fiber, waits_throw_once_the_job_has_failed) {
  const auto world = test::loopback_of(1);
  int over = 0;
  const std::string said = test::message_of(*world, [&](job& here) {
    side_fibers stacks(here);
    side_fiber& one = stacks.begin(&wait_in_vain, &here);
    one.resume();
    EXPECT_FALSE(one.over());
    EXPECT_FALSE(one.ready());
    EXPECT_STREQ(one.reason().operation, "wait_until");
    host(here).fail(std::make_exception_ptr(error(error_kind::fault, "the end")));
    one.resume();
    over = one.over() && one.take_failure() ? 1 : 0;
    here.progress();
  });
  EXPECT_EQ(over, 1);
  EXPECT_EQ(said, "the end");
}
