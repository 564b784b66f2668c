// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank knows of its friends, against the sets that it comes of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/neighborhood/schemes/friends_table.hpp"

namespace upwash::neighborhoods {
namespace {

constexpr int friends = 6;  ///< ranks 1 .. 6 of rank 0
constexpr int first_destination = 10;

/// Destinations of rank 0, and which of them each friend has too.
struct drawn_sets {
  std::vector<int> destinations;
  std::vector<std::vector<int>> of_friend{friends + 1};

  explicit drawn_sets(std::uint64_t seed) {
    random_stream from(seed, 77);
    const std::uint64_t dense = 2 + from.below(6);
    for (int to = first_destination; to < first_destination + 70; ++to) {
      if (from.below(3) == 0) continue;
      destinations.push_back(to);
      for (auto& each : of_friend) {
        if (from.below(8) < dense) each.push_back(to);
      }
    }
  }
  [[nodiscard]] bool has(int rank, int to) const {
    return std::ranges::binary_search(of_friend[static_cast<std::size_t>(rank)], to);
  }
  void teach(friend_table& table) const {
    for (std::size_t place = 0; place < destinations.size(); ++place) {
      std::vector<int> sources{0};
      for (int rank = 1; rank <= friends; ++rank) {
        if (has(rank, destinations[place])) sources.push_back(rank);
      }
      table.learn(place, sources);
    }
  }
  /// Of all these ranks and rank 0.
  [[nodiscard]] std::vector<int> in_common(unsigned ranks) const {
    std::vector<int> all;
    for (const int to : destinations) {
      bool common = true;
      for (int rank = 1; rank <= friends; ++rank) {
        if ((ranks >> static_cast<unsigned>(rank) & 1U) != 0 && !has(rank, to)) common = false;
      }
      if (common) all.push_back(to);
    }
    return all;
  }
};

/// A row of matrix A is a friend and what it has in common with this rank; a row of T the bitwise
/// AND of some, where that has more than theta ones.
TEST(ghazimirsaeed_2019, figures_7_2_and_7_3_matrices_of_common_neighbours) {
  int rows = 0;
  int missing = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const drawn_sets drawn(seed);
    const int size = 2 + static_cast<int>(seed % 3);
    const int theta = 1 + static_cast<int>(seed % 20);
    friend_table table(0, drawn.destinations, static_cast<std::size_t>(size), theta);
    drawn.teach(table);
    table.begin_stage();
    friend_table::set everything = table.none();
    for (const int to : drawn.destinations) table.include(everything, to);
    for (unsigned ranks = 2; ranks < 1U << (friends + 1); ranks += 2) {
      const std::vector<int> wanted = drawn.in_common(ranks);
      if (std::popcount(ranks) == 1) {
        std::vector<int> shared;
        table.add_shared(shared, std::countr_zero(ranks), everything);
        EXPECT_EQ(shared, wanted) << "matrix A, friend " << std::countr_zero(ranks);
      }
      if (std::popcount(ranks) != size - 1) continue;
      std::vector<int> group{0};
      for (int rank = 1; rank <= friends; ++rank) {
        if ((ranks >> static_cast<unsigned>(rank) & 1U) != 0) group.push_back(rank);
      }
      const friend_group known = table.known(group);
      const bool enough = static_cast<int>(wanted.size()) > theta;
      ASSERT_EQ(known.empty(), !enough)
          << "seed " << seed << ": " << wanted.size() << " of " << theta;
      (enough ? rows : missing) += 1;
      if (!enough) continue;
      EXPECT_EQ(known.weight(), static_cast<int>(wanted.size()));
      EXPECT_EQ(table.ranks_in(table.common(known)), wanted) << "a row of matrix T";
    }
  }
  EXPECT_GT(rows, 100);
  EXPECT_GT(missing, 100);
}

}  // namespace
}  // namespace upwash::neighborhoods
