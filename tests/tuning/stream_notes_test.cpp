// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/stream_notes.hpp"

#include <gtest/gtest.h>

#include "tests/tuning/findings.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;

}  // namespace

TEST(stream_notes, this_job_counts_before_the_file) {
  const stream_note old = tests::updates_note(64);
  knowledge known;
  known.add(old);
  stream_notes notes(&known);
  ASSERT_TRUE(notes.recall(old.kind).has_value());
  EXPECT_EQ(*notes.recall(old.kind), old.found);
  EXPECT_TRUE(notes.fresh().empty());
  streaming::stream_finding news = old.found;
  news.dimensions = 3;
  notes.note(old.kind, news);
  EXPECT_EQ(notes.recall(old.kind)->dimensions, 3);
  EXPECT_EQ(notes.fresh().streams().size(), 1U);
  EXPECT_FALSE(notes.recall({"other", 64, 4, 16}).has_value());
  EXPECT_FALSE(stream_notes().recall(old.kind).has_value());
}

TEST(stream_notes, labels_may_be_any_bytes) {
  stream_notes notes;
  const streaming::stream_kind odd{"a\xff\n\"b", 8, 1, 16};
  notes.note(odd, tests::updates_note(8).found);
  EXPECT_TRUE(notes.recall(odd).has_value());
  collective::registry algorithms;
  const std::string text = text_of(notes.fresh(), tests::here);
  EXPECT_EQ(parse_tuning(text, "t.json", tests::here, algorithms), notes.fresh());
}
