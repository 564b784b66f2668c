// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/ways.hpp"

#include <gtest/gtest.h>

#include "upwash/streaming/options.hpp"

namespace {

using namespace upwash;
using streaming::usual_dimensions;

TEST(ways, keep_within_the_memory_before_anything_was_seen) {
  const stream_options usual;
  constexpr std::size_t buffer = 16384;
  for (int members = 1; members <= 131'072; members = members * 3 / 2 + 1) {
    const int dimensions = usual_dimensions(members, buffer, usual.memory);
    EXPECT_LE(stream_memory(members, dimensions, buffer), usual.memory) << members;
    EXPECT_TRUE(dimensions == 1 || members > 64) << members;
  }
  EXPECT_EQ(usual_dimensions(64, buffer, usual.memory), 1);
  EXPECT_EQ(usual_dimensions(4096, buffer, usual.memory), 2);
  EXPECT_EQ(usual_dimensions(65'536, buffer, usual.memory), 3);
  EXPECT_EQ(usual_dimensions(65'536, buffer, 1), 4);  // as little as there is
}

}  // namespace
