// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/medians.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using upwash::duration;

std::vector<duration> microseconds(const std::vector<double>& all) {
  std::vector<duration> result;
  for (const double each : all) result.push_back(duration::from_us(each));
  return result;
}

TEST(median, is_the_one_in_the_middle) {
  EXPECT_EQ(apps::median(microseconds({7})), duration::from_us(7));
  EXPECT_EQ(apps::median(microseconds({9, 1, 4})), duration::from_us(4));
  EXPECT_EQ(apps::median(microseconds({9, 1, 4, 6})), duration::from_us(6));
}

TEST(median_ratio, compares_turn_by_turn) {
  // The second turn was disturbed for both; of the medians, 4 and 2, the ratio would be 2.
  EXPECT_DOUBLE_EQ(apps::median_ratio(microseconds({3, 60, 4}), microseconds({1, 20, 2})), 3);
  EXPECT_DOUBLE_EQ(apps::median_ratio(microseconds({0}), microseconds({0})), 1);
  EXPECT_DOUBLE_EQ(apps::median_ratio(microseconds({1}), microseconds({4})), 0.25);
}

}  // namespace
