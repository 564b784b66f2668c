// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "apps/randomaccess/generator.hpp"

TEST(randomaccess, jumps_to_any_number_of_the_sequence) {
  std::uint64_t number = 1;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(randomaccess::number_at(i), number) << i;
    number = randomaccess::next(number);
  }
}

TEST(randomaccess, numbers_go_round_after_the_period_of_the_challenge) {
  constexpr std::uint64_t period = 1317624576693539401U;
  EXPECT_EQ(randomaccess::number_at(period), 1U);
  EXPECT_EQ(randomaccess::number_at(period + 77), randomaccess::number_at(77));
}
