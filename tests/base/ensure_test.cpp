// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/ensure.hpp"

#include <gtest/gtest.h>

#include "upwash/base/process.hpp"

namespace upwash {
namespace {

TEST(ensure, says_nothing_while_all_holds) {
  ensure(true, "one is one");
  int asked = 0;
  ensure<check_level::off>([&asked] { return ++asked == 1; }, "it is asked once");
  EXPECT_EQ(asked, 1);
}

TEST(ensure, ends_the_process_with_place_and_values) {
  if constexpr (checks < check_level::cheap) GTEST_SKIP() << "this build checks nothing";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ensure(false, "credits are never negative", 3, 5),
               "upwash: a check failed at .*ensure_test.cpp:[0-9]+: credits are never negative "
               "\\(3, 5\\); please report it");
  process::set_current_rank(7);
  EXPECT_DEATH(ensure(false, "it holds"), "upwash: rank 7: a check failed at .*: it holds; please");
  process::set_current_rank(-1);
}

TEST(ensure, does_nothing_above_the_level_of_the_build) {
  int asked = 0;
  ensure<check_level::collective>([&asked] { return ++asked > 0; }, "it is asked at its level");
  EXPECT_EQ(asked, checks >= check_level::collective ? 1 : 0);
  if constexpr (checks < check_level::full) {
    ensure<check_level::full>(false, "nobody looks");
    ensure([] { return false; }, "nobody looks");
  } else {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(ensure([] { return false; }, "somebody looks"), "somebody looks");
  }
}

}  // namespace
}  // namespace upwash
