// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "upwash/base/error.hpp"
#include "upwash/model/choice.hpp"

namespace {

using namespace upwash::model;

constexpr parameter rows[] = {{"radix", 2, 64, 4, "of the tree"},
                              {"segment", 0, 1U << 30U, 0, "bytes at a time"}};
constexpr choice tree{.name = "tree", .parameters = rows, .doc = "", .source = ""};
constexpr choice plain{.name = "plain", .parameters = {}, .doc = "", .source = ""};

std::string refusal(const choice& of, std::string_view text) {
  try {
    (void)parse_values(of, text);
  } catch (const upwash::error& wrong) {
    EXPECT_EQ(wrong.kind(), upwash::error_kind::argument);
    return wrong.what();
  }
  return "accepted";
}

}  // namespace

TEST(choice, splits_the_name_from_the_values) {
  EXPECT_EQ(split_choice("tree:radix=2").first, "tree");
  EXPECT_EQ(split_choice("tree:radix=2").second, "radix=2");
  EXPECT_EQ(split_choice("tree").second, "");
}

TEST(choice, reads_what_it_writes) {
  EXPECT_EQ(text_of(tree, parse_values(tree, "")), "tree:radix=4,segment=0");
  const values with = parse_values(tree, "segment=64k,radix=8");
  EXPECT_EQ(with[0], 8U);
  EXPECT_EQ(with[1], 65'536U);
  const std::string text = text_of(tree, with);
  EXPECT_EQ(parse_values(tree, split_choice(text).second), with);
  EXPECT_EQ(text_of(plain, initial_values(plain)), "plain");
}

TEST(choice, names_what_is_wrong) {
  EXPECT_EQ(refusal(tree, "radx=3"),
            "tree: no parameter \"radx\"; did you mean radix? (known: radix, segment)");
  EXPECT_EQ(refusal(tree, "radix=1"), "tree: radix=1 is not in 2 .. 64 (of the tree)");
  EXPECT_EQ(refusal(tree, "radix"),
            "tree: \"radix\" is not key=value (known keys: radix, segment)");
  EXPECT_EQ(refusal(plain, "radix=3"), "plain: takes no parameters; \"radix\" given");
  EXPECT_EQ(refusal(tree, "segment=x"),
            "tree: segment: \"x\" is not a size; expected digits and k, m, g or nothing, as in "
            "64k");
}
