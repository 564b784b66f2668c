// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace upwash::tuning;
using numbers = std::vector<double>;

}  // namespace

TEST(statistics, finds_the_middle) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 3);
}

TEST(statistics, knows_how_sure_a_mean_is) {
  EXPECT_TRUE(std::isinf(estimate_of(numbers{5}).half_width));
  const estimate same = estimate_of(numbers{2, 2, 2});
  EXPECT_EQ(same.mean, 2);
  EXPECT_EQ(same.half_width, 0);
  // Standard deviation 1, three samples: 4.303 / sqrt(3).
  const estimate some = estimate_of(numbers{1, 2, 3});
  EXPECT_EQ(some.mean, 2);
  EXPECT_NEAR(some.half_width, 2.484, 1e-3);
}

TEST(statistics, compares_orders) {
  EXPECT_EQ(kendall_tau(numbers{1, 2, 3}, numbers{10, 20, 30}), 1);
  EXPECT_EQ(kendall_tau(numbers{1, 2, 3}, numbers{3, 2, 1}), -1);
  EXPECT_NEAR(kendall_tau(numbers{1, 2, 3}, numbers{1, 3, 2}), 1.0 / 3, 1e-12);
  // A tie in one counts half of itself: 2 / sqrt(2 * 3).
  EXPECT_NEAR(kendall_tau(numbers{1, 1, 2}, numbers{1, 2, 3}), 2 / std::sqrt(6.0), 1e-12);
  EXPECT_TRUE(std::isnan(kendall_tau(numbers{1, 1}, numbers{1, 2})));
}
