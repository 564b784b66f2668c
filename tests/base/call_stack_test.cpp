// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/call_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace upwash {
namespace {

[[gnu::noinline]] call_stack innermost_of_the_test(int* kept) {
  const call_stack seen = call_stack::here();
  ++*kept;  // so that the call above is no tail call
  return seen;
}

[[gnu::noinline]] call_stack outer_of_the_test(int* kept) {
  const call_stack seen = innermost_of_the_test(kept);
  ++*kept;
  return seen;
}

TEST(call_stack, knows_its_callers_from_the_innermost_on) {
  int kept = 0;
  const std::vector<std::string> said = outer_of_the_test(&kept).lines();
  ASSERT_GE(said.size(), 3U);
  // Without addr2line there is a module and an offset.
  const bool named =
      said[0].find('+') == std::string::npos || said[0].find("(") != std::string::npos;
  if (!named) GTEST_SKIP() << "no addr2line here: " << said[0];
  EXPECT_NE(said[0].find("innermost_of_the_test"), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("outer_of_the_test"), std::string::npos) << said[1];
}

TEST(call_stack, is_equal_for_one_place_and_differs_for_others) {
  int kept = 0;
  std::array<call_stack, 2> same;
  const volatile std::size_t all = same.size();  // one call, not one for each turn
  for (std::size_t i = 0; i < all; ++i) same[i] = outer_of_the_test(&kept);
  EXPECT_EQ(same[0], same[1]);
  EXPECT_NE(same[0], innermost_of_the_test(&kept));
  EXPECT_EQ(kept, 5);
}

}  // namespace
}  // namespace upwash
