// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/step.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <type_traits>

namespace {

using namespace upwash::schedule;

TEST(step, is_as_new_when_cleared) {
  static_assert(std::is_trivially_copyable_v<step>);
  std::array<unsigned char, sizeof(step)> ones;
  ones.fill(1);  // a one in every byte: no member has its initial value, no bool a value of none
  step used;
  std::memcpy(static_cast<void*>(&used), ones.data(), ones.size());
  used.clear();
  EXPECT_EQ(used, step{});
}

}  // namespace
