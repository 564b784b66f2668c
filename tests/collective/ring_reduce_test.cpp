// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/reduces.hpp"

#include <gtest/gtest.h>

#include "tests/collective/trees.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

void expect_reduce(int ranks, int root, std::uint64_t elements, std::uint64_t times) {
  SCOPED_TRACE(testing::Message() << "root " << root << ", " << elements << " elements");
  const auto of_rank = [&](int rank) {
    return generator(ring_reduce(ranks, rank, root, elements, 4));
  };
  expectation of;
  of.ranks = ranks;
  of.element_bytes = 4;
  of.input_bytes = 4 * elements;
  of.calls.resize(static_cast<std::size_t>(ranks));
  of.calls[static_cast<std::size_t>(root)].output_bytes = 4 * elements;
  expect_valid(
      of, of_rank, [&](int, std::uint64_t e) { return all_ranks(ranks, e); }, times);
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  const totals at_root = count(of_rank(root));
  EXPECT_EQ(at_root.messages_sent, others);
  EXPECT_EQ(at_root.messages_received, 2 * others);
  if (ranks == 1) return;
  const totals elsewhere = count(of_rank((root + 1) % ranks));
  EXPECT_EQ(elsewhere.messages_sent, others + 1);
  EXPECT_EQ(totals_of(ranks, of_rank).bytes_reduced, others * 4 * elements);
  if (elements % static_cast<std::uint64_t>(ranks) == 0) {
    EXPECT_EQ(elsewhere.bytes_sent, 4 * elements);
    EXPECT_EQ(at_root.bytes_received, 2 * others * 4 * elements / (others + 1));
  }
}

}  // namespace

TEST(ring_reduce, combines_all_at_any_root) {
  for (int ranks = 1; ranks <= most_ranks(); ranks += ranks < 9 ? 1 : 4) {
    for (const int root : {0, ranks / 2, ranks - 1}) {
      for (const std::uint64_t elements : {0, 1, 3, 8, 101})
        expect_reduce(ranks, root, elements, 1);
      expect_reduce(ranks, root, 3 * static_cast<std::uint64_t>(ranks), 1);
    }
    if (HasFatalFailure()) return;
  }
}

TEST(ring_reduce, is_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 6);
    const int ranks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_ranks())));
    const int root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    expect_reduce(ranks, root, random.below(150), 2);
  }
}

TEST(ring_reduce, answers_at_once_on_huge_teams) {
  for (const int rank : {0, 77'777, 131'071}) {
    generator steps(ring_reduce(131'072, rank, 77'777, std::uint64_t{1} << 33U, 8));
    step s;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(steps.next(s));
      for (const std::uint32_t distance : s.after) ASSERT_LE(distance, steps.window());
    }
  }
}
