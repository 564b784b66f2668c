// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/rank_layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"

namespace upwash::conduit {
namespace {

std::vector<int> counts_of(const rank_layout& layout) {
  std::vector<int> counts;
  for (int p = 0; p < layout.processes(); ++p) counts.push_back(layout.count_of(p));
  return counts;
}

/// Process and place of each rank, by what each process says of itself.
void expect_consistent(const rank_layout& layout) {
  int rank = 0;
  for (int p = 0; p < layout.processes(); ++p) {
    EXPECT_EQ(layout.first_of(p), rank);
    for (int local = 0; local < layout.count_of(p); ++local, ++rank) {
      EXPECT_EQ(layout.process_of(rank), p);
      EXPECT_EQ(layout.local_of(rank), local);
    }
  }
  EXPECT_EQ(layout.ranks(), rank);
}

TEST(rank_layout, first_processes_have_one_rank_more) {
  EXPECT_EQ(counts_of(rank_layout::even(7, 3)), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(counts_of(rank_layout::even(8, 3)), (std::vector<int>{3, 3, 2}));
  EXPECT_EQ(counts_of(rank_layout::even(3, 3)), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(counts_of(rank_layout::even(9, 1)), std::vector<int>{9});
}

TEST(rank_layout, at_most_so_many_take_the_fewest_processes) {
  EXPECT_EQ(counts_of(rank_layout::at_most(3, 7)), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(counts_of(rank_layout::at_most(3, 4)), (std::vector<int>{2, 2}));
  EXPECT_EQ(counts_of(rank_layout::at_most(100, 9)), std::vector<int>{9});
  EXPECT_EQ(counts_of(rank_layout::at_most(1, 2)), (std::vector<int>{1, 1}));
}

TEST(rank_layout, ranks_and_processes_agree) {
  for (int ranks = 1; ranks <= 20; ++ranks) {
    for (int processes = 1; processes <= ranks; ++processes) {
      expect_consistent(rank_layout::even(ranks, processes));
    }
  }
  expect_consistent(rank_layout(std::array{1, 5, 2}));
  expect_consistent(rank_layout::even(65536, 3));
}

TEST(rank_layout, numbers_that_do_not_fit_are_named) {
  const auto text = [](auto make) -> std::string {
    try {
      static_cast<void>(make());
    } catch (const error& problem) {
      return problem.what();
    }
    return {};
  };
  EXPECT_EQ(text([] { return rank_layout::even(4, 5); }),
            "cannot put 4 ranks into 5 processes: expected 1 to 4");
  EXPECT_EQ(text([] { return rank_layout::even(1, 0); }),
            "cannot put 1 rank into 0 processes: expected 1 to 1");
  EXPECT_EQ(text([] { return rank_layout::at_most(0, 4); }),
            "cannot put 4 ranks into processes of 0: expected 1 and up for both");
  EXPECT_EQ(text([] {
              return rank_layout(std::array{2, 0});
            }),
            "process 1 hosts 0 ranks: expected 1 and up");
}

}  // namespace
}  // namespace upwash::conduit
