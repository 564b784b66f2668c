// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Strategies that balance loads against what is proven of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/objects/balance.hpp"

namespace {

using namespace upwash;

/// Objects of random work at random members; one in five has none.
balancing::problem drawn(std::uint64_t seed, std::size_t members, std::size_t objects) {
  random_stream from(seed, 1);
  balancing::problem made;
  made.members.resize(members);
  for (std::size_t i = 0; i < objects; ++i) {
    const double work = from.below(5) == 0 ? 0 : static_cast<double>(1 + from.below(100));
    made.objects.emplace_back(objects::object_key::of(static_cast<int>(i)),
                              static_cast<int>(from.below(members)), work);
  }
  return made;
}

/// Speeds and backgrounds too, and who calls whom.
balancing::problem drawn_unequal(std::uint64_t seed, std::size_t members, std::size_t objects) {
  balancing::problem made = drawn(seed, members, objects);
  random_stream from(seed, 2);
  for (balancing::member& each : made.members) {
    each.speed = static_cast<double>(1 + from.below(3));
    each.background_ns = static_cast<double>(from.below(100));
  }
  for (std::size_t i = 0; i < 3 * objects; ++i) {
    made.edges.push_back(
        {from.below(objects), from.below(objects), 1 + from.below(5), from.below(10'000)});
  }
  return made;
}

/// By trying all; of `members` alike only the first that is as idle is tried.
double shortest(const balancing::problem& of, std::vector<double>& times, std::size_t next) {
  if (next == of.objects.size()) return std::ranges::max(times);
  double best = 1e300;
  for (std::size_t m = 0; m < times.size(); ++m) {
    if (std::find(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(m), times[m]) !=
        times.begin() + static_cast<std::ptrdiff_t>(m)) {
      continue;
    }
    const double before = times[m];
    times[m] += of.objects[next].work_ns;
    best = std::min(best, shortest(of, times, next + 1));
    times[m] = before;
  }
  return best;
}

double shortest(const balancing::problem& of) {
  std::vector<double> times(of.members.size());
  return shortest(of, times, 0);
}

std::size_t moved(const balancing::problem& of, const std::vector<int>& placed) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) count += placed[i] != of.objects[i].member;
  return count;
}

constexpr double rounding = 1 + 1e-9;

}  // namespace

TEST(balancing, greedy_and_refine_keep_their_bounds) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::size_t members = 1 + seed % 4;
    const auto given = drawn(seed, members, 2 + seed % 8);
    const double best = shortest(given);
    const auto m = static_cast<double>(members);
    EXPECT_LE(given.longest(balancing::greedy().place(given)),
              best * (4.0 / 3 - 1 / (3 * m)) * rounding)
        << "seed " << seed;
    for (const double tolerance : {1.0, 1.05, 1.5}) {
      EXPECT_LE(given.longest(balancing::refine(tolerance).place(given)),
                best * std::max(tolerance, 2 - 2 / (m + 1)) * rounding)
          << "seed " << seed << ", tolerance " << tolerance;
    }
  }
}

TEST(balancing, strategies_that_look_at_loads_make_nothing_longer) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto given = drawn_unequal(seed, 1 + seed % 9, 1 + seed % 60);
    const auto now = given.mapping();
    EXPECT_LE(given.longest(balancing::greedy().place(given)), given.longest(now) * rounding);
    EXPECT_LE(given.longest(balancing::refine().place(given)), given.longest(now) * rounding);
    const balancing::communication_aware aware;
    EXPECT_LE(aware.longest(given, aware.place(given)), aware.longest(given, now) * rounding);
  }
}

TEST(balancing, refine_moves_nothing_where_all_is_even_and_one_object_where_one_is_too_many) {
  balancing::problem given;
  given.members.resize(4);
  for (int i = 0; i < 40; ++i) {
    given.objects.emplace_back(objects::object_key::of(i), i % 4, 10);
  }
  EXPECT_EQ(moved(given, balancing::refine().place(given)), 0U);
  given.objects[0].member = 1;
  EXPECT_EQ(moved(given, balancing::refine().place(given)), 1U);
}

TEST(balancing, objects_without_work_stay) {
  auto given = drawn(7, 5, 50);
  const auto idle = [&](const std::vector<int>& placed) {
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (given.objects[i].work_ns != 0) continue;
      EXPECT_EQ(placed[i], given.objects[i].member);
    }
  };
  idle(balancing::greedy().place(given));
  idle(balancing::refine().place(given));
  idle(balancing::communication_aware().place(given));
}

TEST(balancing, of_fast_members_more_is_asked) {
  balancing::problem given;
  given.members = {{1, 0}, {3, 0}, {1, 400}};
  for (int i = 0; i < 80; ++i) given.objects.emplace_back(objects::object_key::of(i), 0, 10);
  // 800 at speeds 1 and 3: 200 each; the third is busy until 400 with other work.
  const auto times = given.times(balancing::greedy().place(given));
  EXPECT_NEAR(times[0], 200, 10);
  EXPECT_NEAR(times[1], 200, 10);
  EXPECT_EQ(times[2], 400);
  EXPECT_EQ(given.longest(balancing::refine(1).place(given)), 400) << "no more is to be gained";
  given.members[2].background_ns = 150;
  const double even = (800.0 + 150) / 5;
  EXPECT_NEAR(given.longest(balancing::refine(1).place(given)), even, 10);
}

TEST(balancing, objects_that_call_each_other_often_come_together) {
  balancing::problem given;
  given.members.resize(2);
  for (int i = 0; i < 8; ++i) {
    given.objects.emplace_back(objects::object_key::of(i), i < 4 ? i % 2 : 1 - i % 2, 1000);
  }
  // Two groups of four: of each two are at either member, with much to say.
  for (std::size_t group = 0; group < 8; group += 4) {
    for (std::size_t i = 0; i < 4; ++i) {
      given.edges.push_back({group + i, group + (i + 1) % 4, 20, 0});
    }
  }
  const auto placed = balancing::communication_aware().place(given);
  const auto cut = [&](const std::vector<int>& of) {
    return std::ranges::count_if(given.edges,
                                 [&](const auto& e) { return of[e.from] != of[e.to]; });
  };
  EXPECT_EQ(cut(given.mapping()), 8);
  EXPECT_EQ(cut(placed), 0);
  EXPECT_EQ(given.times(placed), (std::vector<double>{4000, 4000}));
}

TEST(balancing, rotate_and_random_depend_on_nothing_measured) {
  auto given = drawn(1, 3, 1000);
  const auto turned = balancing::rotate().place(given);
  for (std::size_t i = 0; i < turned.size(); ++i) {
    EXPECT_EQ(turned[i], (given.objects[i].member + 1) % 3);
  }
  const auto anywhere = balancing::random(5).place(given);
  for (auto& each : given.objects) each.work_ns = 3;
  EXPECT_EQ(balancing::random(5).place(given), anywhere);
  EXPECT_NE(balancing::random(6).place(given), anywhere);
  for (int m = 0; m < 3; ++m) EXPECT_GT(std::ranges::count(anywhere, m), 250);
}

TEST(balancing, refine_refuses_a_tolerance_that_nothing_reaches) {
  EXPECT_THROW(balancing::refine(0.9), error);
  EXPECT_THROW(balancing::refine(std::nan("")), error);
}
