// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/printable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using upwash::printable;
using namespace std::string_view_literals;

TEST(printable_text, has_no_control_characters) {
  EXPECT_EQ(printable("\x1b]0;owned\a\x7f"), "\\x1b]0;owned\\x07\\x7f");
  EXPECT_EQ(printable("a\0b\n"sv), "a\\x00b\\x0a");
  EXPECT_EQ(printable("\xc2\x9bm"), "\xc2\\x9bm");  // CSI of eight-bit terminals, in UTF-8
}

TEST(printable_text, keeps_letters_and_on_demand_lines) {
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f dich"), "gr\xc3\xbc\xc3\x9f dich");
  EXPECT_EQ(printable("a\tb\n\x1b", true), "a\tb\n\\x1b");
}

}  // namespace
