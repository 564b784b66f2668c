// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks down a tree and up one.
#include <gtest/gtest.h>

#include "tests/collective/trees.hpp"
#include "upwash/collective/algorithms/trees_of_blocks.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

struct call {
  int ranks = 1;
  int root = 0;
  std::uint64_t bytes = 0;
  model::tree_shape shape{};

  [[nodiscard]] generator scatter(int rank) const {
    return generator(tree_scatter(ranks, rank, root, bytes, shape));
  }
  [[nodiscard]] generator gather(int rank) const {
    return generator(tree_gather(ranks, rank, root, bytes, shape));
  }
  [[nodiscard]] std::uint64_t all_bytes() const {
    return static_cast<std::uint64_t>(ranks) * bytes;
  }

  /// Below the root, one subtree may go on behind the last rank.
  [[nodiscard]] std::uint64_t messages() const {
    std::uint64_t in_all = static_cast<std::uint64_t>(ranks) - 1;
    const model::tree_place top(shape, ranks, root, root);
    for (int i = 0; i < top.children(); ++i) {
      const int first = top.rank_of(top.child(i).position);
      if (first + top.child(i).size > ranks) ++in_all;
    }
    return in_all;
  }
  /// A block travels once a level.
  [[nodiscard]] std::uint64_t bytes_sent() const {
    std::uint64_t sent = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const model::tree_place here(shape, ranks, root, rank);
      if (!here.is_root()) sent += static_cast<std::uint64_t>(here.size()) * bytes;
    }
    return sent;
  }
};

void expect_scatter(const call& c, std::uint64_t times) {
  expectation of;
  of.ranks = c.ranks;
  of.output_bytes = c.bytes;
  of.calls.resize(static_cast<std::size_t>(c.ranks));
  of.calls[static_cast<std::size_t>(c.root)].input_bytes = c.all_bytes();
  const auto of_rank = [&](int rank) { return c.scatter(rank); };
  const auto wanted = [&](int rank, std::uint64_t e) {
    const std::uint64_t at = static_cast<std::uint64_t>(rank) * c.bytes + e;
    return abstract_value{{c.root, static_cast<std::uint32_t>(at)}};
  };
  expect_valid(of, of_rank, wanted, times);
  const totals all = totals_of(c.ranks, of_rank);
  EXPECT_EQ(all.messages_sent, c.messages());
  EXPECT_EQ(all.bytes_sent, c.bytes_sent());
}

void expect_gather(const call& c, std::uint64_t times) {
  expectation of;
  of.ranks = c.ranks;
  of.input_bytes = c.bytes;
  of.calls.resize(static_cast<std::size_t>(c.ranks));
  of.calls[static_cast<std::size_t>(c.root)].output_bytes = c.all_bytes();
  const auto of_rank = [&](int rank) { return c.gather(rank); };
  const auto wanted = [&](int, std::uint64_t e) {
    return abstract_value{{static_cast<int>(e / c.bytes), static_cast<std::uint32_t>(e % c.bytes)}};
  };
  expect_valid(of, of_rank, wanted, times);
  const totals all = totals_of(c.ranks, of_rank);
  EXPECT_EQ(all.messages_sent, c.messages());
  EXPECT_EQ(all.bytes_sent, c.bytes_sent());
}

void expect_both(const call& c, std::uint64_t times) {
  SCOPED_TRACE(testing::Message() << "root " << c.root << ", blocks of " << c.bytes << ", k "
                                  << c.shape.k << ", family " << static_cast<int>(c.shape.of));
  expect_scatter(c, times);
  expect_gather(c, times);
}

}  // namespace

TEST(tree_gather, moves_blocks_from_and_to_any_root_in_any_shape) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 6) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const int root : {0, 1 % ranks, ranks / 2, ranks - 1}) {
        for (const std::uint64_t bytes : {0, 1, 3}) expect_both({ranks, root, bytes, shape}, 1);
      }
    }
    expect_both({ranks, ranks / 3, 8, model::binomial_tree()}, 1);
    if (HasFatalFailure()) return;
  }
  expect_both({11, 7, 1000, model::binomial_tree()}, 1);
}

TEST(tree_gather, is_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 4);
    call c;
    c.ranks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_ranks())));
    c.root = static_cast<int>(random.below(static_cast<std::uint64_t>(c.ranks)));
    c.bytes = random.below(9);
    c.shape = drawn_shape(random);
    expect_both(c, 2);
  }
}

TEST(tree_gather, takes_as_many_messages_one_behind_the_other_as_the_tree_is_deep) {
  for (const int ranks : {1, 2, 7, 16, 33}) {
    for (const model::tree_shape& shape : some_shapes()) {
      const call c{ranks, ranks / 2, 10, shape};
      const int depth = depth_of(shape, ranks);
      EXPECT_EQ(longest_way(ranks, [&](int rank) { return c.scatter(rank); }), depth);
      EXPECT_EQ(longest_way(ranks, [&](int rank) { return c.gather(rank); }), depth);
    }
  }
}

TEST(tree_gather, answers_at_once_on_huge_teams) {
  for (const model::tree_shape& shape :
       {model::flat_tree(), model::knomial_tree(300), model::binary_tree()}) {
    const call c{131'072, 77'777, 1U << 20U, shape};
    for (const int rank : {0, 77'777, 77'778, 131'071}) {
      for (generator steps : {c.scatter(rank), c.gather(rank)}) {
        step s;
        for (int i = 0; i < 3000 && steps.next(s); ++i) {
          for (const std::uint32_t distance : s.after) ASSERT_LE(distance, steps.window());
        }
      }
    }
  }
}
