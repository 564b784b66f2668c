// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/signal_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace upwash {
namespace {

TEST(signal_text, writes_numbers_and_text) {
  std::array<char, 200> room{};
  signal_text text(room);
  text << "a " << 0 << " " << -17 << " " << INT64_MIN << " " << UINT64_MAX << " ";
  text.hex(0).hex(0xdeadbeef);
  EXPECT_EQ(text.view(), "a 0 -17 -9223372036854775808 18446744073709551615 0x00xdeadbeef");
}

TEST(signal_text, leaves_out_what_does_not_fit) {
  std::array<char, 6> room{};
  signal_text text(room);
  text << "abc" << 12345 << "more";
  EXPECT_EQ(text.view(), "abc123");
}

}  // namespace
}  // namespace upwash
