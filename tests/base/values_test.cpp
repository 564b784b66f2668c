// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The small value types: durations, counter-based random numbers, function_ref, errors.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <set>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/random.hpp"

namespace {

using upwash::duration;

TEST(duration, arithmetic_is_exact_in_picoseconds) {
  duration sum;
  for (int i = 0; i < 1000; ++i) sum += duration::from_ns(0.1);
  EXPECT_EQ(sum.ps(), 100'000);
  EXPECT_EQ((duration::from_us(2) - duration::from_ns(500)).ps(), 1'500'000);
  EXPECT_EQ(3 * duration::from_ps(7), duration::from_ps(21));
  EXPECT_LT(duration::from_ns(1), duration::from_us(1));
  EXPECT_DOUBLE_EQ(duration::from_seconds(1.5).us(), 1.5e6);
}

TEST(duration, rounds_to_the_nearest_picosecond) {
  EXPECT_EQ(duration::from_ns(0.0006).ps(), 1);
  EXPECT_EQ(duration::from_ns(-0.0006).ps(), -1);
}

TEST(duration, steady_clock_does_not_go_back) {
  const auto first = upwash::steady_now();
  const auto second = upwash::steady_now();
  EXPECT_GE(second, first);
  EXPECT_GT(first.ps(), 0);
}

TEST(random, depends_on_seed_stream_and_counter_only) {
  upwash::random_stream a(1, 2);
  upwash::random_stream b(1, 2);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_EQ(a.next(), upwash::random_bits(1, 2, 1));
  EXPECT_NE(first, upwash::random_bits(1, 3, 0));
  EXPECT_NE(first, upwash::random_bits(2, 2, 0));
}

TEST(random, streams_do_not_collide) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t stream = 0; stream < 32; ++stream) {
      for (std::uint64_t n = 0; n < 32; ++n) seen.insert(upwash::random_bits(seed, stream, n));
    }
  }
  EXPECT_EQ(seen.size(), 8U * 32U * 32U);
}

TEST(random, below_is_even_and_in_range) {
  upwash::random_stream numbers(7, 0);
  std::array<int, 10> counts{};
  for (int i = 0; i < 10'000; ++i) ++counts.at(numbers.below(10));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  for (int i = 0; i < 1000; ++i) {
    const double x = numbers.fraction();
    EXPECT_GE(x, 0.0);
    EXPECT_LT(x, 1.0);
  }
}

int twice(int x) { return 2 * x; }

int call(upwash::function_ref<int(int)> f, int x) { return f(x); }

TEST(function_ref, refers_to_the_callable_itself) {
  int calls = 0;
  auto count = [&calls](int x) mutable {
    ++calls;
    return x + calls;
  };
  EXPECT_EQ(call(count, 10), 11);
  EXPECT_EQ(call(count, 10), 12);
  EXPECT_EQ(calls, 2);
}

TEST(function_ref, takes_functions_and_passes_references) {
  auto* function = &twice;
  EXPECT_EQ(call(function, 4), 8);
  std::string text = "a";
  auto append = [](std::string& target) { target += "b"; };
  const upwash::function_ref<void(std::string&)> view(append);
  view(text);
  EXPECT_EQ(text, "ab");
  static_assert(sizeof(view) == 2 * sizeof(void*));
}

TEST(error, kind_decides_the_exit_status) {
  using upwash::error_kind;
  EXPECT_EQ(upwash::error(error_kind::argument, "x").exit_status(), 2);
  EXPECT_EQ(upwash::error(error_kind::configuration, "x").exit_status(), 2);
  EXPECT_EQ(upwash::error(error_kind::environment, "x").exit_status(), 2);
  EXPECT_EQ(upwash::error(error_kind::system, "x").exit_status(), 1);
  EXPECT_EQ(upwash::error(error_kind::fault, "x").exit_status(), 1);
}

TEST(error, system_error_carries_the_text_of_errno) {
  EXPECT_STREQ(upwash::system_error("open /x", ENOENT).what(),
               "open /x: No such file or directory");
}

}  // namespace
