// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Aggregated methods: objects that call each other and migrate at random, against a sequential
// program; arguments of all sizes; where calls run, and when.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/allocations.hpp"
#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/aggregated.hpp"

namespace {

using namespace upwash;

constexpr int objects_of_a_run = 29;

/// What a call does, whatever came before: its sum, the calls that it makes, where it moves.
struct deed {
  struct call {
    int to;
    std::uint64_t seed;
    int how;  ///< aggregated in two ways, or one by one
  };
  std::uint64_t adds = 0;
  std::vector<call> calls;
  int moves_to = -1;

  static deed of(std::uint64_t seed, int depth, int members) {
    random_stream from(seed, 17);
    deed does;
    does.adds = from.next();
    for (std::uint64_t n = depth > 0 ? from.below(4) : 0; n > 0; --n) {
      const int to = static_cast<int>(from.below(objects_of_a_run));
      const std::uint64_t next = from.next();
      does.calls.push_back({to, next, static_cast<int>(from.below(5))});
    }
    if (from.below(4) == 0) {
      does.moves_to = static_cast<int>(from.below(static_cast<std::uint64_t>(members)));
    }
    return does;
  }
};

/// Letters and numbers of a call, by its seed: few mostly, sometimes 64 KiB.
struct load {
  std::string letters;
  std::vector<double> numbers;

  static load of(std::uint64_t seed) {
    random_stream from(seed, 18);
    const std::uint64_t most = from.below(64) == 0 ? 65'536 : from.below(8) == 0 ? 4096 : 24;
    load made;
    made.letters.assign(from.below(most + 1), static_cast<char>('a' + from.below(26)));
    made.numbers.assign(from.below(most / sizeof(double) + 1), from.fraction());
    return made;
  }
};

struct roamer : object<std::int32_t> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(sum, calls, wrong, kept);
  }

  void act(std::uint64_t seed, std::int16_t depth) noexcept { do_it(seed, depth); }
  void carry(const std::string& letters, std::span<const double> numbers, std::uint64_t seed,
             int depth) {
    const load expected = load::of(seed);
    if (letters != expected.letters || !std::ranges::equal(numbers, expected.numbers)) ++wrong;
    kept = letters;  // long ones take their time to travel
    do_it(seed, depth);
  }
  void one_by_one(std::uint64_t seed, int depth) { do_it(seed, depth); }

  std::uint64_t sum = 0;
  std::uint64_t calls = 0;
  std::uint64_t wrong = 0;
  std::string kept;

 private:
  void do_it(std::uint64_t seed, int depth);
};

template <class Act, class Carry>
void begin(const deed::call& next, int depth, Act&& act, Carry&& carry,
           const object_view<roamer>& all) {
  if (next.how == 0) return all[next.to].send<&roamer::one_by_one>(next.seed, depth);
  if (next.how == 1) {
    const load with = load::of(next.seed);
    return carry[next.to].send(with.letters, with.numbers, next.seed, depth);
  }
  act[next.to].send(next.seed, static_cast<std::int16_t>(depth));
}

void roamer::do_it(std::uint64_t seed, int depth) {
  const deed does = deed::of(seed, depth, here().size());
  sum += does.adds;
  ++calls;
  for (const deed::call& next : does.calls) {
    begin(next, depth - 1, aggregated<&roamer::act>::of(*this),
          aggregated<&roamer::carry>::of(*this), object_view<roamer>(*this));
  }
  if (does.moves_to >= 0) migrate_to(does.moves_to);
}

struct told {
  std::uint64_t sum = 0;
  std::uint64_t calls = 0;
};

std::vector<deed::call> begun_by(int member, std::uint64_t seed) {
  random_stream from(seed, static_cast<std::uint64_t>(member));
  std::vector<deed::call> all;
  for (std::uint64_t n = from.below(9); n > 0; --n) {
    const int to = static_cast<int>(from.below(objects_of_a_run));
    const std::uint64_t next = from.next();
    all.push_back({to, next, static_cast<int>(from.below(5))});
  }
  return all;
}

/// By a stack instead of messages.
void expect_calls(std::vector<told>& all, std::uint64_t seed, int depth, int members) {
  std::vector<std::pair<deed::call, int>> open;
  for (int m = 0; m < members; ++m) {
    for (const deed::call& each : begun_by(m, seed)) open.emplace_back(each, depth);
  }
  while (!open.empty()) {
    const auto [next, left] = open.back();
    open.pop_back();
    const deed does = deed::of(next.seed, left, members);
    told& at = all[static_cast<std::size_t>(next.to)];
    at.sum += does.adds;
    ++at.calls;
    for (const deed::call& each : does.calls) open.emplace_back(each, left - 1);
  }
}

void check(object_array<roamer>& cells, const team& among, const std::vector<told>& expected) {
  std::vector<std::uint64_t> seen(4 * objects_of_a_run);
  cells.for_each_here([&](roamer& one) {
    const std::uint64_t values[] = {1, one.sum, one.calls, one.wrong};
    std::ranges::copy(values, seen.begin() + 4 * one.index());
  });
  std::vector<std::uint64_t> all(seen.size());
  all_reduce<sum>(among, blocking, seen, all);
  for (std::size_t i = 0; i < objects_of_a_run; ++i) {
    ASSERT_EQ(all[4 * i], 1U) << "object " << i << " is at so many members";
    ASSERT_EQ(all[4 * i + 1], expected[i].sum) << "object " << i;
    ASSERT_EQ(all[4 * i + 2], expected[i].calls) << "object " << i;
    ASSERT_EQ(all[4 * i + 3], 0U) << "object " << i << ": so many other arguments than were sent";
  }
}

std::vector<std::int32_t> indices(int count) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void roam(job& here, const stream_options& with) {
  const team& world = here.world();
  object_array<roamer> cells(world, {.name = "cells"});
  cells.fill(indices(objects_of_a_run));
  aggregated<&roamer::act> act(cells, with);
  aggregated<&roamer::carry> carry(cells, with);
  std::vector<told> expected(objects_of_a_run);
  const int depth = 4;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    for (const deed::call& each : begun_by(here.rank(), epoch)) {
      begin(each, depth, act, carry, cells.view());
    }
    cells.quiet();
    expect_calls(expected, epoch, depth, here.size());
    check(cells, world, expected);
  }
}

stream_options grid_of(int dimensions, std::size_t buffer_bytes) {
  stream_options with;
  with.dimensions = dimensions;
  with.buffer_bytes = buffer_bytes;
  return with;
}

}  // namespace

JOB_TEST(aggregated, calls_find_objects_that_roam) { roam(here, grid_of(1, 256)); }

JOB_TEST(aggregated, calls_find_objects_through_two_dimensions) { roam(here, grid_of(2, 4096)); }

JOB_TEST(aggregated, calls_find_objects_through_three_dimensions) { roam(here, grid_of(3, 300)); }

JOB_TEST(aggregated, calls_find_objects_with_settings_of_the_streams_own) { roam(here, {}); }

JOB_TEST(aggregated, quiet_sends_what_waits_in_buffers) {
  stream_options with = grid_of(1, 16'384);
  with.flush_when_idle = false;
  with.cutoff = 0;  // what differs in size goes by itself
  with.threshold = 1;
  roam(here, with);
}

namespace {

/// Keeps what came, and where it ran.
struct listener : object<std::int32_t> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(heard, deepest);
  }
  void hear(std::int32_t what) { heard.push_back(what); }
  void hear_and_pass(std::int32_t what) {
    ++depth;
    deepest = std::max(deepest, depth);
    heard.push_back(what);
    if (what > 0) aggregated<&listener::hear_and_pass>::of(*this)[index()].send(what - 1);
    --depth;
  }
  void go(int member) { migrate_to(member); }
  void end() { remove(); }

  std::vector<std::int32_t> heard;
  int depth = 0;
  int deepest = 0;
};

/// Index i is at home at member i mod P.
int in_turn(const std::int32_t& index, int members) { return index % members; }

}  // namespace

JOB_TEST(aggregated, calls_wait_for_objects_that_others_insert) {
  object_array<listener> all(here.world(), {}, &in_turn);
  aggregated<&listener::hear> hear(all, grid_of(0, 64));
  const int count = 2 * here.size();
  for (std::int32_t to = 0; to < count; ++to) hear[to].send(here.rank());
  for (int i = 0; i < 2; ++i) all.insert((here.rank() + 1) % here.size() + i * here.size());
  for (std::int32_t to = 0; to < count; ++to) hear[to].send(here.rank());
  all.quiet();
  EXPECT_EQ(all.size_here(), 2U);
  all.for_each_here([&](listener& one) {
    std::ranges::sort(one.heard);
    ASSERT_EQ(one.heard.size(), 2 * static_cast<std::size_t>(here.size()));
    for (std::size_t i = 0; i < one.heard.size(); ++i) {
      EXPECT_EQ(one.heard[i], static_cast<int>(i / 2)) << "two of each rank";
    }
  });
}

JOB_TEST(aggregated, objects_that_end_may_come_again) {
  object_array<listener> all(here.world(), {}, &in_turn);
  aggregated<&listener::hear> hear(all, grid_of(1, 64));
  for (int turn = 0; turn < 3; ++turn) {
    all.insert(here.rank());
    all.quiet();
    for (std::int32_t to = 0; to < here.size(); ++to) hear[to].send(turn);
    if (here.rank() == turn % here.size()) {
      for (std::int32_t of = 0; of < here.size(); ++of) {
        all[of].send<&listener::go>((of + turn) % here.size());
      }
    }
    all.quiet();
    for (std::int32_t to = 0; to < here.size(); ++to) hear[to].send(turn);
    all.quiet();
    all.for_each_here([&](listener& one) {
      EXPECT_EQ(one.heard, std::vector(2 * static_cast<std::size_t>(here.size()), turn));
    });
    control::barrier(here.world());  // nobody ends one before all have looked
    all[here.rank()].send<&listener::end>();
    all.quiet();
    EXPECT_EQ(all.size_here(), 0U);
  }
}

JOB_TEST(aggregated, calls_of_objects_here_run_at_once_where_no_method_runs) {
  object_array<listener> all(here.world(), {}, &in_turn);
  all.fill(indices(here.size()));
  aggregated<&listener::hear> hear(all);
  aggregated<&listener::hear_and_pass> pass(all);
  const std::int32_t own = here.rank();
  hear[own].send(7);
  const auto heard = [&] {
    std::size_t so_many = 0;
    all.for_each_here([&](listener& one) { so_many = one.heard.size(); });
    return so_many;
  };
  EXPECT_EQ(heard(), 1U);
  all.for_each_here([&](listener& one) {
    hear[own].send(8);
    hear.flush();
    here.progress();
    EXPECT_EQ(one.heard.size(), 1U) << "nothing runs while objects are looked at";
  });
  all.quiet();
  EXPECT_EQ(heard(), 2U);
  pass[own].send(9);
  all.quiet();
  EXPECT_EQ(heard(), 12U);
  all.for_each_here([](listener& one) { EXPECT_EQ(one.deepest, 1); });
}

JOB_TEST(aggregated, callers_learn_where_objects_have_gone, 3) {
  object_array<listener> all(here.world(), {}, &in_turn);
  all.fill(indices(1));
  aggregated<&listener::hear> hear(all, grid_of(1, 1024));
  if (here.rank() == 0) all[0].send<&listener::go>(1);
  all.quiet();
  std::uint64_t before = 0;
  /// Items that others than the caller have pushed.
  const auto passed_on = [&](std::uint64_t calls) {
    for (std::uint64_t i = 0; here.rank() == 2 && i < calls; ++i) hear[0].send(1);
    all.quiet();
    const std::uint64_t all_pushed =
        all_reduce<sum>(here.world(), blocking, hear.statistics().pushed);
    return all_pushed - calls - std::exchange(before, all_pushed);
  };
  EXPECT_EQ(passed_on(20), 20U) << "its home sends them on";
  EXPECT_EQ(passed_on(20), 0U) << "the caller has asked since";
  if (here.rank() == 0) all[0].send<&listener::go>(0);
  all.quiet();
  EXPECT_EQ(passed_on(20), 20U) << "the member that it was at last";
  EXPECT_EQ(passed_on(20), 0U);
  all.for_each_here([](listener& one) { EXPECT_EQ(one.heard.size(), 80U); });
}

namespace {

struct adder : object<std::int64_t> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(sum);
  }
  void add(std::uint64_t what) { sum += what; }
  std::uint64_t sum = 0;
};

}  // namespace

// Not where messages of the conduit are allocated (loopback).
JOB_TEST(aggregated, calls_of_fixed_size_allocate_nothing, 2, 2, true, true, true, true, false) {
  if (!test::counts_allocations) return;
  constexpr int calls = 50'000;
  object_array<adder> all(here.world());
  std::vector<std::int64_t> names(100);
  std::iota(names.begin(), names.end(), std::int64_t{1} << 40U);
  all.fill(names);
  aggregated<&adder::add> add(all, grid_of(1, 4096));
  std::uint64_t allocated = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const std::uint64_t before = test::allocations();
    for (int i = 0; i < calls; ++i) add[names[static_cast<std::size_t>(i) % 100]].send(1U);
    allocated = test::allocations() - before;
    all.quiet();
  }
  EXPECT_LT(allocated, calls / 50U) << "of all ranks in this process";
  std::uint64_t mine = 0;
  all.for_each_here([&](adder& one) { mine += one.sum; });
  EXPECT_EQ(all_reduce<sum>(here.world(), blocking, mine), 8U * calls);
}
