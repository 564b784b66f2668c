// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(version, text_says_what_the_parts_say) {
  const std::string parts = std::to_string(UPWASH_VERSION_MAJOR) + "." +
                            std::to_string(UPWASH_VERSION_MINOR) + "." +
                            std::to_string(UPWASH_VERSION_PATCH);
  EXPECT_EQ(parts, UPWASH_VERSION);
  EXPECT_EQ(parts, upwash::library_version());
}

TEST(version, number_orders_versions) {
  EXPECT_EQ(UPWASH_VERSION_NUMBER / 10000, UPWASH_VERSION_MAJOR);
  EXPECT_EQ(UPWASH_VERSION_NUMBER / 100 % 100, UPWASH_VERSION_MINOR);
  EXPECT_EQ(UPWASH_VERSION_NUMBER % 100, UPWASH_VERSION_PATCH);
}

}  // namespace
