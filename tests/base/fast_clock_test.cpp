// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/fast_clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace upwash {
namespace {

// What the thread's loss of its core cannot make longer: the reading lies between two of the
// kernel's clock.
void expect_right(fast_clock& clock, duration& last) {
  const duration slack = duration::from_us(5);
  const duration before = steady_now();
  const duration now = clock.now();
  const duration after = steady_now();
  EXPECT_GE(now + slack, before);
  EXPECT_LE(now, after + slack);
  EXPECT_GE(now, last);
  last = now;
}

TEST(fast_clock, is_the_steady_clock_and_never_goes_back) {
  fast_clock clock;
  duration last;
  const duration end = steady_now() + duration::from_us(30'000);
  while (steady_now() < end) expect_right(clock, last);
}

TEST(fast_clock, is_right_after_pauses_of_any_length) {
  fast_clock clock;
  duration last;
  // After a rate that was measured over little, a long one tells whether it is gone by.
  for (const unsigned us : {0, 10, 900, 1'100, 400'000, 0, 3'000}) {
    usleep(us);
    for (int i = 0; i < 1000; ++i) expect_right(clock, last);
  }
}

TEST(fast_clock, is_right_for_several_threads) {
  fast_clock clock;
  std::vector<std::thread> all;
  for (int i = 0; i < 3; ++i) {
    all.emplace_back([&clock] {
      const duration end = steady_now() + duration::from_us(20'000);
      for (duration ignored; steady_now() < end; ignored = {}) expect_right(clock, ignored);
    });
  }
  for (std::thread& each : all) each.join();
}

TEST(fast_clock, of_several_agree) {
  fast_clock one;
  fast_clock two;
  const duration slack = duration::from_us(5);
  const duration end = steady_now() + duration::from_us(10'000);
  while (steady_now() < end) {
    const duration first = one.now();
    const duration second = two.now();
    EXPECT_LE(first, second + slack);
    EXPECT_LE(second, one.now() + slack);
  }
}

}  // namespace
}  // namespace upwash
