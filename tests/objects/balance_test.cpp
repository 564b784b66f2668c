// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that strategies move, and what is measured of them.
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/objects/object_group.hpp"

namespace {

using namespace upwash;

constexpr int objects_of_a_run = 30;

std::size_t position(int of) { return static_cast<std::size_t>(of); }

/// Works as long as its index says, and remembers what it was told.
struct worker : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(told, calls, text);
  }

  void work(std::uint64_t what) {
    here().compute(duration::from_us(index() % 5 == 0 ? 100 : 10));
    note(what);
  }
  void note(std::uint64_t what) {
    told = random_bits(told, what, 0);
    ++calls;
  }
  void tell(int whom, std::string what) {
    object_view<worker>(*this)[whom].send<&worker::hear>(what);
  }
  void hear(std::string what) { text += what; }
  void wander(int where) { migrate_to(where); }

  std::uint64_t told = 0;
  std::uint64_t calls = 0;
  std::string text;
};

std::vector<int> all_indices() {
  std::vector<int> all(objects_of_a_run);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Objects and what they were told, of all members.
std::vector<std::uint64_t> state_of_all(object_array<worker>& workers, const team& among) {
  std::vector<std::uint64_t> seen(3 * objects_of_a_run);
  workers.for_each_here([&](worker& one) {
    const auto at = 3 * position(one.index());
    seen[at] = 1;
    seen[at + 1] = one.told;
    seen[at + 2] = one.calls;
  });
  std::vector<std::uint64_t> all(seen.size());
  all_reduce<sum>(among, blocking, seen, all);
  return all;
}

/// As the program's own: odd ones to the last member, as far as the view says what it should.
class odd_ones_last final : public balancing::strategy {
 public:
  [[nodiscard]] std::vector<int> place(const balancing::problem& given) const override {
    std::vector<int> placed = given.mapping();
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (given.objects[i].index<int>() % 2 == 1) {
        placed[i] = static_cast<int>(given.members.size()) - 1;
      }
    }
    return placed;
  }
};

}  // namespace

JOB_TEST(object_balance, every_strategy_moves_objects_with_all_they_have) {
  const team& world = here.world();
  object_array<worker> workers(world,
                               {.name = "workers", .measure = balancing::measure::time_and_calls});
  workers.fill(all_indices());
  std::vector<std::uint64_t> expected(3 * objects_of_a_run);
  const balancing::greedy greedy;
  const balancing::refine refine;
  const balancing::rotate rotate;
  const balancing::random random(3);
  const balancing::communication_aware aware;
  const odd_ones_last own;
  std::uint64_t round = 0;
  for (const balancing::strategy* by : std::initializer_list<const balancing::strategy*>{
           &rotate, &greedy, &random, &refine, &own, &aware, &random, &own}) {
    ++round;
    for (int i = 0; i < objects_of_a_run; ++i) {
      // Of each object one member calls, so that it is known what it is told in which order.
      const std::uint64_t what = random_bits(round, position(i), 0);
      if (i % here.size() == here.rank()) workers[i].send<&worker::work>(what);
      expected[3 * position(i)] = 1;
      auto& told = expected[3 * position(i) + 1];
      told = random_bits(told, what, 0);
      ++expected[3 * position(i) + 2];
    }
    if (here.rank() == 0) workers[3].send<&worker::tell>(4, std::string(100, 'x'));
    const balancing::result said = workers.balance(*by);
    EXPECT_EQ(said.objects, 30U);
    EXPECT_EQ(state_of_all(workers, world), expected);
    // A second look: nothing was done since, so nobody has a reason to move.
    EXPECT_EQ(workers.balance(refine).moved, 0U);
  }
  workers.for_each_here([&](worker& one) {
    EXPECT_EQ(one.text.size(), one.index() == 4 ? 800U : 0U);
    if (one.index() % 2 == 0) return;
    EXPECT_EQ(one.member(), here.size() - 1);
  });
}

JOB_TEST(object_balance, ordered_calls_stay_in_order_and_broadcasts_reach_all) {
  const team& world = here.world();
  object_array<worker> workers(world, {.name = "workers", .ordered = true});
  workers.fill(all_indices());
  std::uint64_t expected = 0;
  for (std::uint64_t round = 0; round < 4; ++round) {
    for (std::uint64_t n = 0; n < 5; ++n) {
      expected = random_bits(expected, n, 0);
      if (here.rank() != 0) continue;
      for (const int i : all_indices()) workers[i].send<&worker::note>(n);
    }
    if (here.rank() == here.size() - 1) {
      for (const int i : all_indices()) workers[i].send<&worker::wander>(i % here.size());
      workers.broadcast<&worker::hear>(std::string("b"));
    }
    workers.balance(balancing::random(round));
  }
  workers.quiet();
  workers.for_each_here([&](worker& one) {
    EXPECT_EQ(one.told, expected);
    EXPECT_EQ(one.text, "bbbb");
  });
}

JOB_TEST(object_balance, unmeasured_objects_are_spread_by_number) {
  object_array<worker> workers(here.world(), {.name = "workers"},
                               [](const int&, int) { return 0; });
  workers.fill(all_indices());
  const balancing::result said = workers.balance(balancing::greedy());
  const auto most = static_cast<std::size_t>((30 + here.size() - 1) / here.size());
  EXPECT_LE(workers.size_here(), most);
  EXPECT_EQ(said.longest_before, duration::from_us(30));
  EXPECT_EQ(said.longest_after, duration::from_us(static_cast<double>(most)));
  EXPECT_EQ(workers.balance(balancing::greedy()).moved, 0U) << "it cannot be shorter";
}

JOB_TEST(object_balance, measures_what_methods_take_and_whom_they_call, .on_shm = false,
         .on_loopback = false) {
  // In virtual time; an object of an index that 5 divides works ten times as long as others.
  object_array<worker> workers(here.world(),
                               {.name = "workers", .measure = balancing::measure::time_and_calls},
                               [](const int&, int) { return 0; });
  workers.fill(all_indices());
  for (const int i : all_indices()) {
    if (here.rank() == 0) workers[i].send<&worker::work>(1U);
    if (here.rank() == 0) workers[i].send<&worker::tell>(0, std::string(56, 'x'));
  }
  const balancing::result said = workers.balance(balancing::greedy());
  EXPECT_GE(said.longest_before, duration::from_us(6 * 100 + 24 * 10));
  EXPECT_LE(said.longest_before, duration::from_us(2 * (6 * 100 + 24 * 10)));
  if (here.size() > 1) {
    EXPECT_LT(said.longest_after, said.longest_before);
  }
  EXPECT_EQ(said.bytes_before, 0U) << "all were at one member";
  const std::size_t away = 30 - all_reduce<most>(here.world(), blocking, [&] {
                             std::size_t beside = 0;
                             workers.for_each_here([&](worker& one) {
                               if (one.index() == 0) beside = workers.size_here();
                             });
                             return beside;
                           }());
  EXPECT_EQ(said.bytes_after, away * 64) << "56 letters and their number, of each that is away";
}

JOB_TEST(object_balance, time_travels_with_objects, .on_shm = false, .on_loopback = false) {
  object_array<worker> workers(here.world(),
                               {.name = "workers", .measure = balancing::measure::time},
                               [](const int&, int) { return 0; });
  workers.fill(all_indices());
  if (here.rank() == 0) workers[0].send<&worker::work>(1U);
  workers.quiet();
  const int last = here.size() - 1;
  if (here.rank() == 0) workers[0].send<&worker::wander>(last);
  const balancing::result said = workers.balance(balancing::refine());
  EXPECT_GE(said.longest_before, duration::from_us(100));
  EXPECT_EQ(workers.balance(balancing::refine()).longest_before, duration());
}

namespace {

/// As told.
class fixed final : public balancing::strategy {
 public:
  explicit fixed(std::vector<int> placed) : placed_(std::move(placed)) {}
  [[nodiscard]] std::vector<int> place(const balancing::problem& /*given*/) const override {
    return placed_;
  }

 private:
  std::vector<int> placed_;
};

class failing final : public balancing::strategy {
 public:
  [[nodiscard]] std::vector<int> place(const balancing::problem& /*given*/) const override {
    throw std::runtime_error("no idea");
  }
};

struct member_worker : object<int> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}
};

void expect_refused(object_array<worker>& workers, const balancing::strategy& by,
                    const balancing::share& mine, std::string_view what) {
  const std::size_t before = workers.size_here();
  std::string said;
  try {
    workers.balance(by, mine);
  } catch (const error& refused) {
    said = refused.what();
  }
  EXPECT_NE(said.find(what), std::string::npos) << said;
  EXPECT_EQ(workers.size_here(), before);
}

}  // namespace

JOB_TEST(object_balance, refuses_at_all_members_what_names_no_member) {
  object_array<worker> workers(here.world(), {.name = "workers"},
                               [](const int&, int) { return 0; });
  workers.fill(std::vector{5, 6});
  const std::string team = " of a team of " + std::to_string(here.size());
  const int size = here.size();
  expect_refused(
      workers, fixed({0, size}), {},
      "object [6] of workers: the strategy moves it to member " + std::to_string(size) + team);
  expect_refused(workers, fixed({-1, 0}), {},
                 "object [5] of workers: the strategy moves it to member -1" + team);
  expect_refused(workers, fixed({0}), {},
                 "workers balances, but the strategy places 1 objects of 2");
  expect_refused(workers, failing(), {}, "no idea");
  const bool last = here.rank() == size - 1;
  expect_refused(
      workers, balancing::greedy(), {.speed = last ? 0.0 : 1.0, .background = {}},
      "workers balances, but member " + std::to_string(size - 1) + " says that its speed is 0");
  expect_refused(workers, balancing::greedy(),
                 {.speed = 1, .background = duration::from_ns(last ? -5 : 0)}, "background -5 ns");
  object_group<member_worker> group(here.world(), {.name = "group"});
  std::string said;
  try {
    group->balance(balancing::rotate());
  } catch (const error& refused) {
    said = refused.what();
  }
  EXPECT_EQ(said, "group balances, but objects of a group stay");
  workers.balance(fixed({0, size - 1}));
  EXPECT_EQ(workers.size_here(), here.rank() == 0 ? (size == 1 ? 2U : 1U) : (last ? 1U : 0U));
}

JOB_TEST(object_balance, balances_by_what_members_say_of_themselves) {
  object_array<worker> workers(here.world(), {.name = "workers"},
                               [](const int&, int) { return 0; });
  workers.fill(all_indices());
  // The others are busy with more than all the objects are.
  const bool first = here.rank() == 0;
  workers.balance(balancing::greedy(),
                  {.speed = 1, .background = duration::from_us(first ? 0 : 100)});
  EXPECT_EQ(workers.size_here(), first ? 30U : 0U);
  // Now the first is a hundred times as slow.
  workers.balance(balancing::greedy(), {.speed = first ? 0.01 : 1.0, .background = {}});
  if (here.size() == 2) {
    EXPECT_EQ(workers.size_here(), first ? 0U : 30U);
  }
}
