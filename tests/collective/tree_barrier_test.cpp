// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/collective/trees.hpp"
#include "upwash/collective/algorithms/tree_barriers.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

template <class ScheduleOf>
void expect_barrier(int ranks, const ScheduleOf& of_rank) {
  expectation of;
  of.ranks = ranks;
  of.synchronizes = true;
  expect_valid(of, of_rank, nothing_wanted, 1);
}

std::uint64_t ranks_with_children(const model::tree_shape& shape, int ranks) {
  std::uint64_t count = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (!model::tree_place(shape, ranks, 0, rank).is_leaf()) ++count;
  }
  return count;
}

}  // namespace

TEST(tree_barrier, holds_all_until_all_have_come) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 6) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        SCOPED_TRACE(testing::Message() << "root " << root << ", k " << shape.k << ", family "
                                        << static_cast<int>(shape.of));
        const auto of_rank = [&](int rank) {
          return generator(tree_barrier(ranks, rank, root, shape));
        };
        expect_barrier(ranks, of_rank);
        const totals all = totals_of(ranks, of_rank);
        EXPECT_EQ(all.messages_sent, 2 * (static_cast<std::uint64_t>(ranks) - 1));
        EXPECT_EQ(all.bytes_sent, 0U);
        EXPECT_EQ(longest_way(ranks, of_rank), 2 * depth_of(shape, ranks));
      }
    }
  }
}

TEST(signal_tree_barrier, holds_all_until_all_have_come_in_four_variants) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 12) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const int variant : {0, 1, 2, 3}) {
        const auto arrival = variant % 2 == 0 ? signalling::push : signalling::pull;
        const auto release = variant / 2 == 0 ? signalling::push : signalling::pull;
        const int root = ranks / 2;
        SCOPED_TRACE(testing::Message() << "variant " << variant << ", k " << shape.k << ", family "
                                        << static_cast<int>(shape.of));
        const auto of_rank = [&](int rank) {
          return generator(signal_tree_barrier(ranks, rank, root, {shape, arrival, release}));
        };
        expect_barrier(ranks, of_rank);
        const auto others = static_cast<std::uint64_t>(ranks - 1);
        const std::uint64_t parents = ranks_with_children(shape, ranks);
        const totals all = totals_of(ranks, of_rank);
        EXPECT_EQ(all.signals, others + (release == signalling::push ? others : parents));
        EXPECT_EQ(all.awaits, (arrival == signalling::push ? parents : others) + others);
        EXPECT_EQ(all.messages_sent, 0U);
      }
    }
  }
}

TEST(tree_barriers, keep_their_window_however_many_children_there_are) {
  constexpr int ranks = 131'072;
  for (const model::tree_shape& shape :
       {model::flat_tree(), model::knomial_tree(300), model::chain_tree()}) {
    for (const int rank : {0, 77'777, 131'071}) {
      for (generator steps :
           {generator(tree_barrier(ranks, rank, 77'777, shape)),
            generator(signal_tree_barrier(ranks, rank, 77'777, {shape, signalling::pull})),
            generator(signal_tree_barrier(ranks, rank, 77'777, {shape}))}) {
        for (step s; steps.next(s);) {
          for (const std::uint32_t distance : s.after) ASSERT_LE(distance, steps.window());
        }
      }
    }
  }
}
