// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace upwash::model;

/// Depth of every position, checked to be a tree whose subtrees are ranges.
std::vector<int> depths_of(const tree_shape& shape, int ranks, int root = 0) {
  std::vector<int> depth(static_cast<std::size_t>(ranks), -1);
  depth[0] = 0;
  for (int position = 0; position < ranks; ++position) {
    const int rank = (position + root) % ranks;
    const tree_place here(shape, ranks, root, rank);
    EXPECT_EQ(here.position(), position);
    EXPECT_EQ(here.rank_of(position), rank);
    EXPECT_GE(depth[static_cast<std::size_t>(position)], 0) << "no parent has " << position;
    EXPECT_LE(here.children(), tree_place::widest(shape, ranks));
    EXPECT_EQ(here.is_leaf(), here.children() == 0);
    int next = position + 1;
    for (int i = 0; i < here.children(); ++i) {
      const tree_place::subtree below = here.child(i);
      EXPECT_EQ(below.position, next);
      next += below.size;
      const tree_place child(shape, ranks, root, here.rank_of(below.position));
      EXPECT_EQ(child.parent(), rank);
      EXPECT_EQ(child.index(), i);
      EXPECT_EQ(child.size(), below.size);
      depth[static_cast<std::size_t>(below.position)] =
          depth[static_cast<std::size_t>(position)] + 1;
    }
    EXPECT_EQ(next, position + here.size());
  }
  return depth;
}

int depth_of(const tree_shape& shape, int ranks) {
  const auto all = depths_of(shape, ranks);
  return *std::max_element(all.begin(), all.end());
}

/// The least depth in which a k-ary tree holds so many.
int least_depth(int k, int ranks) {
  int depth = 0;
  for (std::int64_t held = 1, level = 1; held < ranks; held += level, ++depth) level *= k;
  return depth;
}

/// The most non-zero digits, base k, of a number below `ranks`.
int most_digits(int k, int ranks) {
  int most = 0;
  for (int position = 0; position < ranks; ++position) {
    int digits = 0;
    for (int rest = position; rest != 0; rest /= k) digits += rest % k != 0 ? 1 : 0;
    most = std::max(most, digits);
  }
  return most;
}

}  // namespace

TEST(tree, spans_all_ranks_with_subtrees_that_are_ranges) {
  for (int ranks = 1; ranks <= 70; ++ranks) {
    for (const int k : {1, 2, 3, 5, 40, 100}) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        depths_of(kary_tree(k), ranks, root);
        depths_of(fork_tree(k), ranks, root);
        if (k > 1) depths_of(knomial_tree(k), ranks, root);
      }
    }
    if (testing::Test::HasFailure()) FAIL() << ranks << " ranks";
  }
}

TEST(tree, is_as_deep_as_its_shape_says) {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    EXPECT_EQ(depth_of(flat_tree(), ranks), ranks == 1 ? 0 : 1);
    EXPECT_EQ(depth_of(chain_tree(), ranks), ranks - 1);
    EXPECT_EQ(depth_of(binary_tree(), ranks), least_depth(2, ranks));
    EXPECT_EQ(depth_of(kary_tree(5), ranks), least_depth(5, ranks));
    EXPECT_EQ(depth_of(binomial_tree(), ranks), most_digits(2, ranks));
    EXPECT_EQ(depth_of(knomial_tree(3), ranks), most_digits(3, ranks));
    EXPECT_EQ(depth_of(fork_tree(4), ranks), (ranks - 1 + 3) / 4);
  }
}

TEST(tree, lets_no_rank_have_more_children_than_the_root) {
  EXPECT_EQ(tree_place::widest(flat_tree(), 70), 69);
  EXPECT_EQ(tree_place::widest(chain_tree(), 70), 1);
  EXPECT_EQ(tree_place::widest(fork_tree(3), 70), 3);
  EXPECT_EQ(tree_place::widest(binomial_tree(), 64), 6);
  EXPECT_EQ(tree_place::widest(knomial_tree(4), 64), 9);
}

TEST(tree, answers_at_once_on_huge_teams) {
  constexpr int ranks = 2'000'000'011;
  for (const tree_shape& shape : {flat_tree(), chain_tree(), binary_tree(), kary_tree(7),
                                  binomial_tree(), knomial_tree(1'999'999'999), fork_tree(3)}) {
    const tree_place last(shape, ranks, ranks - 1, ranks - 2);
    EXPECT_TRUE(last.is_leaf());
    const tree_place parent(shape, ranks, ranks - 1, last.parent());
    EXPECT_EQ(parent.child(last.index()).position, ranks - 1);
  }
}
