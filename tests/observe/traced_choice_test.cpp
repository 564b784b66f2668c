// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is told of a choice is read again; texts that were cut, or are none, harm nobody.
#include "upwash/observe/traced_choice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace upwash::observe {
namespace {

traced_choice example() {
  return {.problem = "all_reduce of 64 bytes among 8 ranks",
          .chosen = "ring:segment=8k",
          .label = "gradient",
          .how = "edges of up to 512 bytes travel eagerly",
          .candidates = {{"ring:segment=8k", 1234.5}, {"flat", {}}},
          .why = "the prices on laptop"};
}

TEST(traced_choice, is_read_as_it_was_told) {
  const traced_choice told = example();
  const traced_choice read = read_choice(text_of(told));
  EXPECT_EQ(read.problem, told.problem);
  EXPECT_EQ(read.chosen, told.chosen);
  EXPECT_EQ(read.label, told.label);
  EXPECT_EQ(read.how, told.how);
  EXPECT_EQ(read.why, told.why);
  ASSERT_EQ(read.candidates.size(), 2U);
  EXPECT_EQ(read.candidates[0].name, "ring:segment=8k");
  EXPECT_EQ(read.candidates[0].predicted_ns, 1234.5);
  EXPECT_EQ(read.candidates[1].name, "flat");
  EXPECT_FALSE(read.candidates[1].predicted_ns.has_value());
}

TEST(traced_choice, keeps_its_parts_apart_whatever_they_hold) {
  traced_choice told = example();
  told.label = "two\nlines";
  told.candidates[1].name = "a\tb\nc";
  const traced_choice read = read_choice(text_of(told));
  EXPECT_EQ(read.label, "two lines");
  EXPECT_EQ(read.candidates.at(1).name, "a b c");
  EXPECT_EQ(read.why, told.why);
}

TEST(traced_choice, that_was_cut_has_what_is_there) {
  const std::string whole = text_of(example());
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const traced_choice read = read_choice(std::string_view(whole).substr(0, length));
    EXPECT_TRUE(example().problem.starts_with(read.problem)) << length;
    EXPECT_LE(read.candidates.size(), 2U) << length;
  }
}

}  // namespace
}  // namespace upwash::observe
