// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/collective/trees.hpp"
#include "upwash/collective/algorithms/broadcasts.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

struct call {
  int ranks = 1;
  int root = 0;
  std::uint64_t bytes = 0;
  broadcast_tree with{};
  bool in_place = false;

  [[nodiscard]] generator of_rank(int rank) const {
    return generator(tree_broadcast(ranks, rank, root, bytes, with, in_place));
  }
};

void expect_broadcast(const call& c, std::uint64_t times) {
  SCOPED_TRACE(testing::Message() << "root " << c.root << ", k " << c.with.shape.k << ", family "
                                  << static_cast<int>(c.with.shape.of) << ", segments of "
                                  << c.with.segment_bytes << (c.in_place ? ", in place" : ""));
  const auto of_rank = [&](int rank) { return c.of_rank(rank); };
  expectation of;
  of.ranks = c.ranks;
  of.input_bytes = of.output_bytes = c.bytes;
  of.in_place = c.in_place;
  expect_valid(
      of, of_rank,
      [&](int, std::uint64_t e) {
        return abstract_value{{c.root, static_cast<std::uint32_t>(e)}};
      },
      times);
  const auto others = static_cast<std::uint64_t>(c.ranks - 1);
  const totals all = totals_of(c.ranks, of_rank);
  EXPECT_EQ(all.messages_sent, others * segments_of(c.bytes, c.with.segment_bytes));
  EXPECT_EQ(all.bytes_sent, others * c.bytes);
}

}  // namespace

TEST(tree_broadcast, reaches_all_from_any_root_down_any_shape) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 6) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const std::uint64_t segment : {0, 3, 100}) {
        for (const int root : {0, ranks / 2, ranks - 1}) {
          expect_broadcast({ranks, root, 13, {shape, segment}, segment == 3}, 1);
        }
      }
      for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
        expect_broadcast({ranks, ranks / 3, bytes, {shape, 400}, false}, 1);
      }
    }
    if (HasFatalFailure()) return;
  }
}

TEST(tree_broadcast, is_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 1);
    call c;
    c.ranks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_ranks())));
    c.root = static_cast<int>(random.below(static_cast<std::uint64_t>(c.ranks)));
    c.bytes = random.below(90);
    c.with = {drawn_shape(random), random.below(30)};
    c.in_place = random.below(2) != 0;
    expect_broadcast(c, 2);
  }
}

TEST(tree_broadcast, takes_as_many_messages_one_behind_the_other_as_the_tree_is_deep) {
  for (const int ranks : {1, 2, 7, 16, 33}) {
    for (const model::tree_shape& shape : some_shapes()) {
      const call c{ranks, ranks / 2, 10, {shape, 0}, false};
      EXPECT_EQ(longest_way(ranks, [&](int rank) { return c.of_rank(rank); }),
                depth_of(shape, ranks));
    }
  }
}

TEST(tree_broadcast, keeps_its_window_however_many_children_there_are) {
  constexpr int ranks = 131'072;
  const call c{ranks, 5, 10'000, {model::knomial_tree(300), 100}, false};
  for (const int rank : {4, 5, 305, 90'005}) {
    generator steps = c.of_rank(rank);
    EXPECT_LE(steps.window(), 33U);
    step s;
    for (int i = 0; i < 3000 && steps.next(s); ++i) {
      for (const std::uint32_t distance : s.after) ASSERT_LE(distance, steps.window());
    }
  }
}
