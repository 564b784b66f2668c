// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that call each other at random and migrate at random, against what a sequential program
// says of them.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

constexpr int objects_of_a_run = 23;

/// What a call does to an object, whatever came before, and which calls it makes.
struct deed {
  std::uint64_t adds = 0;
  std::vector<std::pair<int, std::uint64_t>> calls;  ///< object, seed
  int moves_to = -1;

  static deed of(std::uint64_t seed, int depth, int members) {
    random_stream from(seed, 11);
    deed does;
    does.adds = from.next();
    if (depth > 0) {
      for (std::uint64_t n = from.below(4); n > 0; --n) {
        does.calls.emplace_back(static_cast<int>(from.below(objects_of_a_run)), from.next());
      }
    }
    if (from.below(3) == 0) {
      does.moves_to = static_cast<int>(from.below(static_cast<std::uint64_t>(members)));
    }
    return does;
  }
};

struct wanderer : object<int> {
  using object::object;
  wanderer(const site& at, std::uint64_t begins_with) : object(at), sum(begins_with) {}

  template <class A>
  void serialize(A& archive) {
    archive(sum, calls, marks, marked, callers, numbers, misses, ballast);
  }

  void act(std::uint64_t seed, int depth) {
    const object_view<wanderer> all(*this);
    const deed does = deed::of(seed, depth, team_size);
    sum += does.adds;
    ++calls;
    for (const auto& [to, next] : does.calls) {
      all[to].send<&wanderer::act_among>(next, depth - 1, team_size);
    }
    if (does.moves_to >= 0) migrate_to(does.moves_to);
  }
  void act_among(std::uint64_t seed, int depth, int members) {
    team_size = members;
    act(seed, depth);
  }
  void mark(std::uint64_t with) {
    marks = random_bits(marks, with, 0);
    ++marked;
  }

  /// The number-th call of that caller.
  void take(int caller, std::uint64_t number, std::uint64_t seed, int depth, int members) {
    const auto known = std::ranges::find(callers, caller, &std::pair<int, std::uint64_t>::first);
    std::uint64_t& last =
        known == callers.end() ? callers.emplace_back(caller, 0).second : known->second;
    if (number != last + 1) ++misses;
    last = number;
    const deed does = deed::of(seed, depth, members);
    sum += does.adds;
    ++calls;
    for (const auto& [to, next] : does.calls) call_numbered(to, next, depth - 1, members);
    if (does.moves_to >= 0) migrate_to(does.moves_to);
  }
  void call_numbered(int to, std::uint64_t seed, int depth, int members) {
    numbers.resize(objects_of_a_run);
    const std::uint64_t number = ++numbers[static_cast<std::size_t>(to)];
    object_view<wanderer>(*this)[to].send<&wanderer::take>(index(), number, seed, depth, members);
  }
  void grow(std::uint64_t bytes) { ballast.assign(bytes, static_cast<char>(index())); }

  std::uint64_t sum = 0;
  std::uint64_t calls = 0;
  std::uint64_t marks = 0;
  std::uint64_t marked = 0;
  std::vector<std::pair<int, std::uint64_t>> callers;  ///< last number of each
  std::vector<std::uint64_t> numbers;                  ///< of calls to each object
  std::uint64_t misses = 0;
  std::vector<char> ballast;
  int team_size = 1;  ///< of the call that runs
};

struct told {
  std::uint64_t sum = 0;
  std::uint64_t calls = 0;
};

/// By a stack instead of messages.
std::vector<told> expected_of(std::vector<std::pair<int, std::uint64_t>> begun, int depth,
                              int members) {
  std::vector<told> all(objects_of_a_run);
  struct one {
    int to;
    std::uint64_t seed;
    int depth;
  };
  std::vector<one> open;
  for (const auto& [to, seed] : begun) open.push_back({to, seed, depth});
  while (!open.empty()) {
    const one next = open.back();
    open.pop_back();
    const deed does = deed::of(next.seed, next.depth, members);
    all[static_cast<std::size_t>(next.to)].sum += does.adds;
    ++all[static_cast<std::size_t>(next.to)].calls;
    for (const auto& [to, seed] : does.calls) open.push_back({to, seed, next.depth - 1});
  }
  return all;
}

std::vector<int> all_indices() {
  std::vector<int> all(objects_of_a_run);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The calls that a member begins with.
std::vector<std::pair<int, std::uint64_t>> begun_by(int member, std::uint64_t seed) {
  random_stream from(seed, static_cast<std::uint64_t>(member));
  std::vector<std::pair<int, std::uint64_t>> all;
  for (std::uint64_t n = from.below(5); n > 0; --n) {
    all.emplace_back(static_cast<int>(from.below(objects_of_a_run)), from.next());
  }
  return all;
}

std::vector<std::pair<int, std::uint64_t>> begun_by_all(int members, std::uint64_t seed) {
  std::vector<std::pair<int, std::uint64_t>> all;
  for (int m = 0; m < members; ++m) {
    for (const auto& each : begun_by(m, seed)) all.push_back(each);
  }
  return all;
}

/// Each object is at one member, and is as expected.
void check(object_array<wanderer>& cells, const team& among, const std::vector<told>& expected) {
  std::vector<std::uint64_t> seen(3 * objects_of_a_run);
  cells.for_each_here([&](wanderer& one) {
    const auto at = 3 * static_cast<std::size_t>(one.index());
    seen[at] = 1;
    seen[at + 1] = one.sum;
    seen[at + 2] = one.calls;
  });
  std::vector<std::uint64_t> all(seen.size());
  all_reduce<sum>(among, blocking, seen, all);
  for (std::size_t i = 0; i < objects_of_a_run; ++i) {
    ASSERT_EQ(all[3 * i], 1U) << "object " << i << " is at so many members";
    ASSERT_EQ(all[3 * i + 1], expected[i].sum) << "object " << i;
    ASSERT_EQ(all[3 * i + 2], expected[i].calls) << "object " << i;
  }
}

}  // namespace

JOB_TEST(object_array, calls_find_objects_that_wander) {
  const team& world = here.world();
  object_array<wanderer> cells(world, {.name = "cells"});
  cells.fill(all_indices());
  std::vector<told> expected(objects_of_a_run);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    const int depth = 4;
    for (const auto& [to, seed] : begun_by(here.rank(), epoch)) {
      cells[to].send<&wanderer::act_among>(seed, depth, here.size());
    }
    cells.quiet();
    const auto now = expected_of(begun_by_all(here.size(), epoch), depth, here.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      expected[i].sum += now[i].sum;
      expected[i].calls += now[i].calls;
    }
    check(cells, world, expected);
  }
}

JOB_TEST(object_array, ordered_calls_run_in_order_wherever_both_ends_go) {
  const team& world = here.world();
  object_array<wanderer> cells(world, {.name = "cells", .ordered = true});
  cells.fill(all_indices());
  const int depth = 4;
  std::vector<std::uint64_t> numbers(objects_of_a_run);
  for (const auto& [to, seed] : begun_by(here.rank(), 5)) {
    const std::uint64_t number = ++numbers[static_cast<std::size_t>(to)];
    cells[to].send<&wanderer::take>(-1 - here.rank(), number, seed, depth, here.size());
  }
  cells.quiet();
  check(cells, world, expected_of(begun_by_all(here.size(), 5), depth, here.size()));
  std::uint64_t misses = 0;
  cells.for_each_here([&](wanderer& one) { misses += one.misses; });
  EXPECT_EQ(misses, 0U);
}

JOB_TEST(object_array, broadcasts_reach_each_object_once_in_one_order) {
  const team& world = here.world();
  object_array<wanderer> cells(world);
  cells.fill(all_indices());
  std::uint64_t total = 0;
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    const auto begun = begun_by(here.rank(), 9 + epoch);
    for (const auto& [to, seed] : begun) {
      cells[to].send<&wanderer::act_among>(seed, 3, here.size());
      cells.broadcast<&wanderer::mark>(seed);
    }
    cells.quiet();
    total += begun_by_all(here.size(), 9 + epoch).size();
  }
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  cells.for_each_here([&](wanderer& one) {
    EXPECT_EQ(one.marked, total) << "object " << one.index();
    low = std::min(low, one.marks);
    high = std::max(high, one.marks);
  });
  const auto smallest = all_reduce<least>(world, blocking, low);
  const auto largest = all_reduce<most>(world, blocking, high);
  EXPECT_EQ(smallest, largest) << "all have seen the same order";
}

JOB_TEST(object_array, large_state_travels_before_the_calls_behind_it) {
  object_array<wanderer> cells(here.world());
  cells.fill(all_indices());
  if (here.rank() == 0) {
    for (int i = 0; i < objects_of_a_run; ++i) cells[i].send<&wanderer::grow>(100'000U);
  }
  cells.quiet();
  for (const auto& [to, seed] : begun_by(here.rank(), 3)) {
    cells[to].send<&wanderer::act_among>(seed, 3, here.size());
  }
  cells.quiet();
  cells.for_each_here([&](wanderer& one) {
    EXPECT_EQ(one.ballast.size(), 100'000U);
    EXPECT_TRUE(std::ranges::all_of(
        one.ballast, [&](char each) { return each == static_cast<char>(one.index()); }));
  });
}

JOB_TEST(object_array, of_overlapping_teams_are_apart, 2) {
  const team part = here.world().split(here.rank() % 2, -here.rank());
  object_array<wanderer> of_all(here.world());
  object_array<wanderer> of_part(part);
  of_all.fill(all_indices());
  of_part.fill(all_indices(), std::uint64_t{0});
  const int depth = 3;
  for (const auto& [to, seed] : begun_by(here.rank(), 21)) {
    of_all[to].send<&wanderer::act_among>(seed, depth, here.size());
  }
  for (const auto& [to, seed] : begun_by(part.rank(), 22)) {
    of_part[to].send<&wanderer::act_among>(seed, depth, part.size());
  }
  of_part.quiet();
  of_all.quiet();
  check(of_all, here.world(), expected_of(begun_by_all(here.size(), 21), depth, here.size()));
  check(of_part, part, expected_of(begun_by_all(part.size(), 22), depth, part.size()));
}
