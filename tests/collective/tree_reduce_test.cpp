// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Up a tree, and up one tree and down another.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/collective/trees.hpp"
#include "upwash/collective/algorithms/reduces.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

struct reduce_call {
  int ranks = 1;
  int root = 0;
  std::uint64_t elements = 0;
  reduction_tree with{};

  [[nodiscard]] std::uint64_t bytes() const { return 4 * elements; }
  [[nodiscard]] std::uint64_t segments() const {
    return segments_of(
        elements, with.segment_bytes == 0 ? 0 : std::max<std::uint64_t>(1, with.segment_bytes / 4));
  }
  [[nodiscard]] generator of_rank(int rank) const {
    return generator(tree_reduce(ranks, rank, root, bytes(), 4, with));
  }
};

void expect_reduce(const reduce_call& c, std::uint64_t times) {
  SCOPED_TRACE(testing::Message() << "root " << c.root << ", k " << c.with.shape.k << ", family "
                                  << static_cast<int>(c.with.shape.of) << ", segments of "
                                  << c.with.segment_bytes << (c.with.ordered ? ", ordered" : ""));
  const auto of_rank = [&](int rank) { return c.of_rank(rank); };
  expectation of;
  of.ranks = c.ranks;
  of.element_bytes = 4;
  of.input_bytes = c.bytes();
  of.commutative = !c.with.ordered;
  of.calls.resize(static_cast<std::size_t>(c.ranks));
  of.calls[static_cast<std::size_t>(c.root)].output_bytes = c.bytes();
  expect_valid(
      of, of_rank, [&](int, std::uint64_t e) { return all_ranks(c.ranks, e); }, times);
  const auto others = static_cast<std::uint64_t>(c.ranks - 1);
  const bool crosses = c.with.ordered && c.root != 0;
  const totals all = totals_of(c.ranks, of_rank);
  EXPECT_EQ(all.messages_sent, (others + (crosses ? 1 : 0)) * c.segments());
  EXPECT_EQ(all.bytes_reduced, others * c.bytes());
}

struct all_reduce_call {
  int ranks = 1;
  std::uint64_t elements = 0;
  reduction_trees with{};
  bool in_place = false;

  [[nodiscard]] generator of_rank(int rank) const {
    return generator(reduce_broadcast(ranks, rank, 4 * elements, 4, with, in_place));
  }
};

void expect_all_reduce(const all_reduce_call& c, std::uint64_t times) {
  SCOPED_TRACE(testing::Message() << "up k " << c.with.up.k << ", family "
                                  << static_cast<int>(c.with.up.of) << ", down k " << c.with.down.k
                                  << ", family " << static_cast<int>(c.with.down.of)
                                  << ", segments of " << c.with.segment_bytes
                                  << (c.in_place ? ", in place" : ""));
  const auto of_rank = [&](int rank) { return c.of_rank(rank); };
  expectation of;
  of.ranks = c.ranks;
  of.element_bytes = 4;
  of.input_bytes = of.output_bytes = 4 * c.elements;
  of.commutative = false;
  of.in_place = c.in_place;
  expect_valid(
      of, of_rank, [&](int, std::uint64_t e) { return all_ranks(c.ranks, e); }, times);
  const auto others = static_cast<std::uint64_t>(c.ranks - 1);
  EXPECT_EQ(totals_of(c.ranks, of_rank).bytes_sent, 2 * others * 4 * c.elements);
}

template <class Call>
void draw_team(Call& c, random_stream& random) {
  c.ranks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_ranks())));
  c.elements = random.below(60);
}

}  // namespace

TEST(tree_reduce, combines_all_at_any_root_up_any_shape) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 6) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const bool ordered : {false, true}) {
        for (const int root : {0, ranks / 2, ranks - 1}) {
          for (const std::uint64_t segment : {0, 7, 100}) {
            expect_reduce({ranks, root, 11, {shape, segment, ordered}}, 1);
          }
        }
        for (const std::uint64_t elements : {0, 1, 3, 8, 250}) {
          expect_reduce({ranks, ranks / 3, elements, {shape, 400, ordered}}, 1);
        }
      }
    }
    if (HasFatalFailure()) return;
  }
}

TEST(tree_reduce, is_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 2);
    reduce_call c;
    draw_team(c, random);
    c.root = static_cast<int>(random.below(static_cast<std::uint64_t>(c.ranks)));
    c.with = {drawn_shape(random), random.below(90), random.below(2) != 0};
    expect_reduce(c, 2);
  }
}

TEST(tree_reduce, takes_as_many_messages_one_behind_the_other_as_the_tree_is_deep) {
  for (const int ranks : {1, 2, 7, 16, 33}) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const bool ordered : {false, true}) {
        const reduce_call c{ranks, ranks / 2, 10, {shape, 0, ordered}};
        const int crossing = ordered && ranks > 1 ? 1 : 0;
        EXPECT_EQ(longest_way(ranks, [&](int rank) { return c.of_rank(rank); }),
                  depth_of(shape, ranks) + crossing);
      }
    }
  }
}

TEST(tree_reduce, keeps_its_window_and_scratch_however_many_children_there_are) {
  for (const model::tree_shape& shape :
       {model::flat_tree(), model::chain_tree(), model::knomial_tree(300), model::fork_tree(9)}) {
    const reduce_call c{131'072, 5, 1'000'000, {shape, 1000, false}};
    for (const int rank : {4, 5, 6, 305, 90'005}) {
      generator steps = c.of_rank(rank);
      EXPECT_LE(steps.window(), 24U);
      EXPECT_LE(steps.scratch_bytes(), 6000U);
      step s;
      for (int i = 0; i < 3000 && steps.next(s); ++i) {
        for (const std::uint32_t distance : s.after) ASSERT_LE(distance, steps.window());
      }
    }
  }
}

TEST(reduce_broadcast, combines_all_in_order_up_and_down_any_shapes) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 6) {
    for (const model::tree_shape& up : some_shapes()) {
      for (const model::tree_shape& down : some_shapes()) {
        expect_all_reduce({ranks, 11, {up, down, 7}, false}, 1);
        expect_all_reduce({ranks, 11, {up, down, 16}, true}, 1);
      }
      for (const std::uint64_t elements : {0, 1, 3, 8, 250}) {
        expect_all_reduce({ranks, elements, {up, up, 0}, elements == 3}, 1);
      }
    }
    if (HasFatalFailure()) return;
  }
}

TEST(reduce_broadcast, is_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 3);
    all_reduce_call c;
    draw_team(c, random);
    c.with = {drawn_shape(random), drawn_shape(random), random.below(90)};
    c.in_place = random.below(2) != 0;
    expect_all_reduce(c, 2);
  }
}

TEST(reduce_broadcast, takes_both_depths_one_behind_the_other) {
  for (const int ranks : {1, 2, 7, 16, 33}) {
    for (const model::tree_shape& up : some_shapes()) {
      const model::tree_shape down = model::kary_tree(3);
      const all_reduce_call c{ranks, 10, {up, down, 0}, true};
      EXPECT_EQ(longest_way(ranks, [&](int rank) { return c.of_rank(rank); }),
                depth_of(up, ranks) + depth_of(down, ranks));
    }
  }
}
