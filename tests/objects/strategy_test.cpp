// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that go by strategies, while their objects migrate: each once, whatever carries it.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/objects/strategies.hpp"

namespace {

using namespace upwash;

struct trader;
using market = object_section<trader>;

std::uint64_t goods_of(int from, int round, int to) {
  return random_bits(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(round),
                     static_cast<std::uint64_t>(to));
}
bool trades(std::uint64_t seed, int from, int round, int to) {
  return random_bits(seed, static_cast<std::uint64_t>(from * 1000 + to),
                     static_cast<std::uint64_t>(round)) %
             3 ==
         0;
}

struct trader : object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(had, calls, round, own, has_own);
  }

  /// Calls others in rounds up to the last, in a bracket each where the strategy wants that.
  void run(strategy_id by, bool bracketed, int last, std::uint64_t seed, int objects) {
    const object_view<trader> all(*this);
    const auto others = all.with(by);
    if (bracketed) others.begin();
    for (int to = 0; to < objects; ++to) {
      if (!trades(seed, index(), round, to)) continue;
      const std::uint64_t goods = goods_of(index(), round, to);
      const int priority = static_cast<int>(goods % 3) - 1;
      others[to].send_first<&trader::take>(priority, goods, std::vector<char>(goods % 60));
    }
    if (bracketed) others.end();
    ++round;
    const std::uint64_t draw = random_bits(seed, static_cast<std::uint64_t>(index()), round);
    const auto members = static_cast<std::uint64_t>(here().world().size());
    if (draw % 4 == 0) migrate_to(static_cast<int>(draw / 4 % members));
    if (round < last) all[index()].send<&trader::run>(by, bracketed, last, seed, objects);
  }
  void take(std::uint64_t goods, std::vector<char> ballast) {
    EXPECT_EQ(ballast.size(), goods % 60);
    had += goods;
    ++calls;
  }

  void found(std::vector<int> of) {
    own = object_view<trader>(*this).section(of);
    has_own = true;
  }
  /// To the section that it has made.
  void tell(strategy_id by, std::uint64_t goods) {
    const auto others = object_view<trader>(*this).with(by);
    others.begin();
    others[own].send<&trader::take>(goods, std::vector<char>(goods % 60));
    others.end();
  }
  void open_twice(strategy_id by) {
    const auto others = object_view<trader>(*this).with(by);
    others.begin();
    others.begin();
  }
  void call_outside(strategy_id by) {
    object_view<trader>(*this).with(by)[(index() + 1) % 2].send<&trader::take>(1U,
                                                                               std::vector<char>());
  }
  void leave_for(int member) { migrate_to(member); }
  /// One call of object 1 by object 0, some time between them.
  void buy(strategy_id by, int left) {
    const auto others = object_view<trader>(*this).with(by);
    others.begin();
    if (index() == 0) others[1].send<&trader::take>(1U, std::vector<char>(1));
    others.end();
    if (left == 1) return;
    object_view<trader>(*this)[index()].send_after<&trader::buy>(duration::from_us(50), by,
                                                                 left - 1);
  }
  void leave_open(strategy_id by) { object_view<trader>(*this).with(by).begin(); }

  std::uint64_t had = 0;
  std::uint64_t calls = 0;
  int round = 0;
  market own;
  bool has_own = false;
};

/// The next of the strategies at each fence.
struct take_turns final : strategy_switch {
  explicit take_turns(std::size_t count) : of(count) {}
  std::size_t choose(const team& /*among*/, const call_pattern& /*mean*/,
                     std::size_t now) override {
    return (now + 1) % of;
  }
  std::size_t of;
};

std::unique_ptr<strategy> all_in_turn() {
  std::vector<std::unique_ptr<strategy>> eligible;
  for (const char* algorithm : {"mesh2d", "direct", "hypercube", "sparse"}) {
    eligible.push_back(each_to_many(algorithm));
  }
  return switch_among(std::move(eligible), std::make_unique<take_turns>(4));
}

void random_program(job& here, std::uint64_t seed) {
  const team& world = here.world();
  random_stream draws(seed, 2);
  const int objects = 1 + static_cast<int>(draws.below(20));
  object_array<trader> all(world, {.name = "traders"});
  std::vector<int> numbers(static_cast<std::size_t>(objects));
  std::iota(numbers.begin(), numbers.end(), 0);
  all.fill(numbers);
  constexpr const char* algorithms[] = {"", "direct", "mesh2d", "hypercube"};
  const std::uint64_t kind = draws.below(7);
  strategy_id by;
  const auto places = draws.below(2) == 0 ? call_places::at_fence : call_places::as_heard;
  const bool bracketed = kind < 4 || kind == 6;
  if (kind < 4) {
    by = all.bind(each_to_many(algorithms[kind]), places);
  } else if (kind == 6) {
    by = all.bind(all_in_turn(), places);
  } else {
    by = all.bind(streaming_calls({.stream = {.dimensions = kind == 4 ? 1 : 2},
                                   .urgent_below = static_cast<int>(seed % 2)}),
                  places);
  }
  int last = 0;
  for (std::uint64_t fences = 1 + draws.below(3); fences > 0; --fences) {
    last += static_cast<int>(draws.below(4));
    if (here.rank() == 0 && last > 0)
      all.broadcast<&trader::run>(by, bracketed, last, seed, objects);
    all.quiet();
    // A broadcast makes one round more where there was nothing left to do.
    all.for_each_here([&](const trader& one) { last = std::max(last, one.round); });
    last = all_reduce<most>(world, blocking, last);
  }
  std::vector<std::uint64_t> wanted(static_cast<std::size_t>(objects)), times(wanted);
  for (int from = 0; from < objects; ++from) {
    for (int round = 0; round < last; ++round) {
      for (int to = 0; to < objects; ++to) {
        if (!trades(seed, from, round, to)) continue;
        wanted[static_cast<std::size_t>(to)] += goods_of(from, round, to);
        ++times[static_cast<std::size_t>(to)];
      }
    }
  }
  all.for_each_here([&](const trader& one) {
    EXPECT_EQ(one.calls, times[static_cast<std::size_t>(one.index())]) << "object " << one.index();
    EXPECT_EQ(one.had, wanted[static_cast<std::size_t>(one.index())]) << "object " << one.index();
  });
  all.quiet();
}

}  // namespace

JOB_TEST(object_strategies, carry_each_call_once_while_objects_migrate) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) random_program(here, seed * 17);
}

JOB_TEST(object_strategies, carry_calls_of_sections) {
  constexpr int objects = 14;
  object_array<trader> all(here.world(), {.name = "traders"});
  std::vector<int> numbers(objects);
  std::iota(numbers.begin(), numbers.end(), 0);
  all.fill(numbers);
  const strategy_id by = all.bind(each_to_many_multicast());
  all.for_each_here([&](trader& one) {
    std::vector<int> some;
    for (int to = 0; to < objects; ++to) {
      if ((to + one.index()) % 3 != 0) some.push_back(to);
    }
    all[one.index()].send<&trader::found>(some);
  });
  all.quiet();
  for (int round = 0; round < 3; ++round) {
    all.for_each_here([&](trader& one) {
      all[one.index()].send<&trader::tell>(by, static_cast<std::uint64_t>(one.index() + round));
    });
    all.quiet();
  }
  all.for_each_here([&](const trader& one) {
    std::uint64_t wanted = 0;
    for (int from = 0; from < objects; ++from) {
      if ((one.index() + from) % 3 != 0) wanted += 3U * static_cast<std::uint64_t>(from) + 3;
    }
    EXPECT_EQ(one.had, wanted) << "object " << one.index();
  });
  all.quiet();
}

TEST(object_strategies_sim, call_objects_where_they_are_heard_of) {
  constexpr int rounds = 30;
  const auto sent_by_last_place = [&](call_places places) {
    std::uint64_t sent = 0;
    run_on(*test::sim_of(3), {}, [&](job& here) {
      object_array<trader> all(here.world(), {.name = "traders"}, round_robin<int>({2}));
      all.fill(std::vector<int>{0, 1});
      const strategy_id by = all.bind(each_to_many("direct"), places);
      const std::uint64_t before = here.counters().messages_sent;
      if (here.rank() == 0) all[1].send<&trader::leave_for>(2);
      if (here.rank() == 0) all.broadcast<&trader::buy>(by, rounds);
      all.quiet();
      if (here.rank() == 1) sent = here.counters().messages_sent - before;
      all.for_each_here(
          [&](const trader& one) { EXPECT_EQ(one.had, one.index() == 1 ? rounds : 0U); });
      all.quiet();
    });
    return sent;
  };
  const std::uint64_t by_fence = sent_by_last_place(call_places::at_fence);
  const std::uint64_t as_heard = sent_by_last_place(call_places::as_heard);
  EXPECT_GE(by_fence, as_heard + rounds - 3) << "the place of the last fence hands on each call";
}

TEST(object_errors, name_brackets_that_are_wrong) {
  const auto said_of = [](auto method, bool filled_late) {
    const auto world = test::sim_of(2);
    return test::message_of(*world, [&](job& here) {
      object_array<trader> all(here.world(), {.name = "traders"});
      if (!filled_late) all.fill(std::vector<int>{0, 1});
      const strategy_id by = all.bind(each_to_many());
      if (filled_late) all.fill(std::vector<int>{0, 1});
      if (here.rank() == 0) method(all, by);
      all.quiet();
    });
  };
  const std::string twice = said_of(
      [](auto& all, strategy_id by) { all[0].template send<&trader::open_twice>(by); }, false);
  EXPECT_NE(twice.find("object [0] of traders: begins calls by a strategy twice"),
            std::string::npos)
      << twice;
  const std::string late = said_of(
      [](auto& all, strategy_id by) { all[0].template send<&trader::open_twice>(by); }, true);
  EXPECT_NE(late.find("has come after the array was quiet"), std::string::npos) << late;
  const std::string outside = said_of(
      [](auto& all, strategy_id by) { all.template broadcast<&trader::call_outside>(by); }, false);
  EXPECT_NE(outside.find("makes a call by each_to_many outside begin and end"), std::string::npos)
      << outside;
  const std::string open = said_of(
      [](auto& all, strategy_id by) { all[0].template send<&trader::leave_open>(by); }, false);
  EXPECT_NE(open.find("an object is between begin and end"), std::string::npos) << open;
  const std::string unbound = said_of(
      [](auto& all, strategy_id) { all[0].template send<&trader::leave_open>(strategy_id()); },
      false);
  EXPECT_NE(unbound.find("go by a strategy that it is not bound to"), std::string::npos) << unbound;
}
