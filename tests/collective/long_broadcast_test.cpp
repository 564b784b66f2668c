// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts for long vectors: two trees at once; scatter and all-gather.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "tests/collective/trees.hpp"
#include "upwash/collective/algorithms/long_broadcasts.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

template <class ScheduleOf>
void expect_broadcast(int ranks, int root, std::uint64_t bytes, bool in_place,
                      const ScheduleOf& of_rank, std::uint64_t times = 1) {
  expectation of;
  of.ranks = ranks;
  of.input_bytes = of.output_bytes = bytes;
  of.in_place = in_place;
  const auto wanted = [&](int, std::uint64_t e) {
    return abstract_value{{root, static_cast<std::uint32_t>(e)}};
  };
  expect_valid(of, of_rank, wanted, times);
}

auto double_tree(int ranks, int root, std::uint64_t bytes, std::uint64_t segment, bool in_place) {
  return [=](int rank) {
    return generator(double_tree_broadcast(ranks, rank, root, bytes, segment, in_place));
  };
}

auto scatter_all_gather(int ranks, int root, std::uint64_t bytes, const model::tree_shape& shape,
                        bool in_place) {
  return [=](int rank) {
    return generator(scatter_all_gather_broadcast(ranks, rank, root, bytes, shape, in_place));
  };
}

/// Where a rank sends an edge to.
std::vector<int> sent_to(generator steps, std::uint32_t edge) {
  std::vector<int> peers;
  for (step s; steps.next(s);) {
    if (s.kind == step_kind::send && s.edge == edge) peers.push_back(s.peer);
  }
  return peers;
}

}  // namespace

TEST(double_tree_broadcast, reaches_all_from_any_root) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int root : {0, ranks / 2, ranks - 1}) {
      for (const std::uint64_t segment : {0, 1, 5, 100}) {
        SCOPED_TRACE(testing::Message() << "root " << root << ", segments of " << segment);
        const auto of_rank = double_tree(ranks, root, 13, segment, root == 0);
        expect_broadcast(ranks, root, 13, root == 0, of_rank);
        const std::uint64_t segments = segment == 0 ? 2 : segments_of(13, segment);
        const totals all = totals_of(ranks, of_rank);
        EXPECT_EQ(all.messages_sent, static_cast<std::uint64_t>(ranks - 1) * segments);
      }
    }
    for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
      expect_broadcast(ranks, ranks / 3, bytes, false,
                       double_tree(ranks, ranks / 3, bytes, 300, false));
    }
    if (HasFatalFailure()) return;
  }
}

TEST(double_tree_broadcast, gives_children_to_a_rank_in_one_tree_only) {
  for (int ranks = 2; ranks <= 300; ++ranks) {
    const int root = ranks / 2;
    const auto of_rank = double_tree(ranks, root, 2, 1, false);
    int without = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto first = sent_to(of_rank(rank), 0);
      const auto second = sent_to(of_rank(rank), 1);
      if (rank == root) {
        EXPECT_EQ(first.size() + second.size(), 2U);
        continue;
      }
      EXPECT_LE(first.size(), 2U);
      EXPECT_LE(second.size(), 2U);
      EXPECT_TRUE(first.empty() || second.empty()) << ranks << " ranks, rank " << rank;
      without += first.empty() && second.empty() ? 1 : 0;
    }
    EXPECT_EQ(without, ranks % 2 == 0 ? 1 : 0) << ranks << " ranks";
    EXPECT_EQ(longest_way(ranks, of_rank), std::bit_width(static_cast<unsigned>(ranks - 1)));
  }
}

TEST(double_tree_broadcast, goes_on_behind_segments_passed_over_as_if_it_had_walked_them) {
  for (const int ranks : {2, 3, 7, 16}) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const int walked_first : {0, 1, 2}) {
        const auto of_rank = double_tree(ranks, 1, 100, 7, true);
        generator walked = of_rank(rank);
        generator leaps = of_rank(rank);
        step s;
        step t;
        std::uint64_t left = 0;
        for (int i = 0; i < walked_first || left == 0; ++i) {
          if (!leaps.next(t)) break;
          left = leaps.repeats().rounds;
        }
        if (left < 4) continue;
        const std::uint32_t before = t.edge;
        leaps.skip(3);
        ASSERT_TRUE(leaps.next(t));
        while (walked.next(s) && s.edge < t.edge) {
        }
        EXPECT_EQ(t.edge, before + 7);  // 3 rounds of 2, and on to the next
        for (;;) {
          EXPECT_EQ(t.kind, s.kind);
          EXPECT_EQ(t.peer, s.peer);
          EXPECT_EQ(t.left, s.left);
          EXPECT_EQ(t.after, s.after);
          const bool more = walked.next(s);
          ASSERT_EQ(leaps.next(t), more);
          if (!more) break;
        }
      }
    }
  }
}

TEST(scatter_all_gather_broadcast, reaches_all_from_any_root_and_brings_nothing_twice) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const model::tree_shape& shape : some_shapes()) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        SCOPED_TRACE(testing::Message() << "root " << root << ", k " << shape.k << ", family "
                                        << static_cast<int>(shape.of));
        const auto bytes = static_cast<std::uint64_t>(2 * ranks) + 3;
        const bool in_place = root == 0;
        const auto of_rank = scatter_all_gather(ranks, root, bytes, shape, in_place);
        if (ranks < 9 || ranks % 6 == 0) expect_broadcast(ranks, root, bytes, in_place, of_rank);
        for (int rank = 0; rank < ranks; ++rank) {
          EXPECT_EQ(count(of_rank(rank)).bytes_received, rank == root ? 0 : bytes);
        }
      }
    }
    for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
      expect_broadcast(ranks, ranks / 3, bytes, false,
                       scatter_all_gather(ranks, ranks / 3, bytes, model::binomial_tree(), false));
    }
    if (HasFatalFailure()) return;
  }
}

TEST(long_broadcasts, are_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 5);
    const int ranks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_ranks())));
    const int root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    const std::uint64_t bytes = random.below(200);
    const bool in_place = random.below(2) != 0;
    expect_broadcast(ranks, root, bytes, in_place,
                     double_tree(ranks, root, bytes, random.below(40), in_place), 2);
    expect_broadcast(ranks, root, bytes, in_place,
                     scatter_all_gather(ranks, root, bytes, drawn_shape(random), in_place), 2);
  }
}

TEST(long_broadcasts, answer_at_once_on_huge_teams) {
  constexpr int ranks = 131'072;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 40U;
  for (const int rank : {0, 77'777, 87'777, 131'071}) {  // two of them with many children
    for (generator steps :
         {double_tree(ranks, 77'777, bytes, 1U << 20U, false)(rank),
          scatter_all_gather(ranks, 77'777, bytes, model::knomial_tree(100), false)(rank)}) {
      step s;
      for (int i = 0; i < 3000 && steps.next(s); ++i) {
        for (const std::uint32_t distance : s.after) ASSERT_LE(distance, steps.window());
      }
    }
  }
}
