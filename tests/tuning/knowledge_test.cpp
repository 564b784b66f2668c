// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/knowledge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuning/findings.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;
using tests::all_to_all_finding;

}  // namespace

TEST(knowledge, keeps_the_result_with_more_effort_and_of_equal_effort_the_later) {
  knowledge known;
  finding one = all_to_all_finding(16, 512);
  known.add(one);
  one.results = {{"bruck:k=2", 4, 200, 1}, {"direct", 7, 101, 2}, {"mesh2d", 1, 1, 3}};
  one.seconds = 0.5;
  one.candidates = 30;
  known.add(one);
  ASSERT_EQ(known.findings().size(), 1U);
  const finding& kept = known.findings()[0];
  EXPECT_EQ(kept.results,
            (std::vector<result>{
                {"bruck:k=2", 5, 100, 900.25}, {"direct", 7, 101, 2}, {"mesh2d", 1, 1, 3}}));
  EXPECT_EQ(kept.seconds, 1.5);
  EXPECT_EQ(kept.candidates, 30U);
  EXPECT_EQ(kept.best().algorithm, "direct");
}

TEST(knowledge, merges_in_any_order_to_the_same) {
  constexpr std::uint64_t seed = 20261120;
  SCOPED_TRACE(seed);
  random_stream draw(seed, 0);
  for (int round = 0; round < 200; ++round) {
    const knowledge a = tests::random_knowledge(draw);
    const knowledge b = tests::random_knowledge(draw);
    const knowledge c = tests::random_knowledge(draw);
    knowledge left = a;
    left.merge(b);
    left.merge(c);
    knowledge inner = c;
    inner.merge(b);
    knowledge right = inner;
    right.merge(a);
    EXPECT_EQ(left, right);
    right.merge(b);
    EXPECT_EQ(left, right);  // once more teaches nothing
    for (const finding& each : a.findings()) {
      const finding* kept = left.find(each.at);
      ASSERT_NE(kept, nullptr);
      EXPECT_GE(kept->results.size(), each.results.size());  // nothing is lost
    }
  }
}

TEST(knowledge, finds_the_nearest_and_of_equals_the_first_placement) {
  knowledge known;
  known.add(all_to_all_finding(16, 512));
  finding far = all_to_all_finding(16, 512);
  far.at.where = placement::far;
  known.add(far);
  known.add(all_to_all_finding(16, 4096));
  const auto bytes_near = [&](std::uint64_t bytes, double reach) {
    situation wanted = all_to_all_finding(16, bytes).at;
    wanted.where = placement::shared;
    const finding* found = known.nearest(wanted, reach);
    return found == nullptr ? 0 : found->at.bytes;
  };
  EXPECT_EQ(bytes_near(512, 0), 512U);
  EXPECT_EQ(bytes_near(1100, 4), 512U);
  EXPECT_EQ(bytes_near(2000, 4), 4096U);
  EXPECT_EQ(bytes_near(1 << 20, 4), 0U);
  EXPECT_EQ(bytes_near(600, 0.1), 0U);
  EXPECT_EQ(known.nearest(all_to_all_finding(16, 512).at, 0)->at.where, placement::near);
}

TEST(knowledge, finds_streams_of_the_same_label_and_size) {
  knowledge known;
  known.add(tests::updates_note(32));
  known.add(tests::updates_note(64));
  const auto ranks_near = [&](const streaming::stream_kind& kind) {
    const stream_note* found = known.nearest(kind);
    return found == nullptr ? 0 : found->kind.ranks;
  };
  EXPECT_EQ(ranks_near({"updates", 64, 1, 16}), 64);
  EXPECT_EQ(ranks_near({"updates", 40, 1, 16}), 32);
  EXPECT_EQ(ranks_near({"updates", 128, 1, 16}), 64);
  EXPECT_EQ(ranks_near({"updates", 129, 1, 16}), 0);
  EXPECT_EQ(ranks_near({"updates", 64, 1, 8}), 0);
  EXPECT_EQ(ranks_near({"", 64, 1, 16}), 0);
  stream_note later = tests::updates_note(64);
  later.when = 101;
  later.found.dimensions = 3;
  known.add(later);
  known.add(tests::updates_note(64));
  EXPECT_EQ(known.nearest(later.kind)->found.dimensions, 3);
}

TEST(knowledge, never_takes_another_kind_of_call_for_near) {
  const situation one = all_to_all_finding(16, 512).at;
  EXPECT_EQ(distance(one, one), 0);
  EXPECT_EQ(distance(one, all_to_all_finding(16, 1024).at), 1);
  EXPECT_EQ(distance(one, all_to_all_finding(8, 512).at), 3);
  situation other = one;
  other.what = collective::kind::all_gather;
  EXPECT_TRUE(std::isinf(distance(one, other)));
  other = one;
  other.entry = schedule::sync_mode::all;
  EXPECT_TRUE(std::isinf(distance(one, other)));
  other = one;
  other.commutative = false;
  EXPECT_TRUE(std::isinf(distance(one, other)));
  other = one;
  other.overlapped = true;
  EXPECT_TRUE(std::isinf(distance(one, other)));
}

TEST(knowledge, moves_a_call_to_a_situation_with_whole_elements) {
  collective::problem call{.of = collective::kind::reduce, .ranks = 64, .bytes = 800};
  call.element_bytes = 8;
  call.root = 60;
  const collective::problem moved = moved_to(all_to_all_finding(16, 515).at, call);
  EXPECT_EQ(moved.ranks, 16);
  EXPECT_EQ(moved.bytes, 512U);
  EXPECT_EQ(moved.root, 15);
}
