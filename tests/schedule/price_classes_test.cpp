// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that stand for their class against a walk of all ranks: meshes with holes.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/sanitized.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule;
using collective::mesh_all_to_all;

struct case_of {
  int dimensions;
  int ranks;
};

price_result priced(const case_of& of, std::uint64_t bytes, const machine& on, bool every_rank) {
  price_options options;
  options.free_where_absent = true;
  options.every_rank = every_rank;
  const auto steps = [&](int rank) {
    return generator(mesh_all_to_all(of.ranks, rank, bytes, {of.dimensions}));
  };
  return price(of.ranks, steps, on, {}, options);
}

/// The busy processor is exact; the end is as good as the few walked are late like all.
void compare(const case_of& of, std::uint64_t bytes, const machine& on, double tolerance) {
  const price_result some = priced(of, bytes, on, false);
  const price_result all = priced(of, bytes, on, true);
  const std::string where = std::to_string(of.dimensions) + " dimensions, " +
                            std::to_string(of.ranks) + " ranks of " + on.name + ", " +
                            std::to_string(bytes) + " bytes";
  EXPECT_FALSE(some.stands_for.empty()) << where;
  EXPECT_LT(some.ranks_walked * 8, of.ranks) << where;
  EXPECT_EQ(some.processor_most, all.processor_most) << where;
  EXPECT_NEAR(some.processor_mean.us() / all.processor_mean.us(), 1, 0.01) << where;
  EXPECT_NEAR(some.completion.us() / all.completion.us(), 1, tolerance)
      << where << ": " << some.completion.us() << " by classes, " << all.completion.us();
}

}  // namespace

TEST(price_classes, stand_for_all_ranks_of_a_mesh_with_holes) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for fewer ranks";
  const machine lemieux = load_machine("lemieux");
  for (const std::uint64_t bytes : {400, 40'000}) {
    compare({2, 300}, bytes, lemieux, 0.05);
    compare({2, 700}, bytes, lemieux, 0.05);
    compare({3, 1100}, bytes, lemieux, 0.05);
    // Few members stand in for most holes, and who waits for them is not who is walked.
    compare({3, 500}, bytes, lemieux, 0.10);
    compare({3, 700}, bytes, lemieux, 0.10);
  }
}

// Where ports are the bottleneck the ranks of a class get out of step in ways that the few walked
// do not all see: the price is low, by a third at most.
TEST(price_classes, are_low_where_ports_are_the_bottleneck) {
  const machine textbook =
      uniform_machine(duration::from_us(5), duration::from_us(1), duration::from_us(1.5), 0.5);
  compare({2, 300}, 4, textbook, 0.05);
  compare({2, 700}, 400, textbook, 0.05);
  compare({2, 700}, 40'000, textbook, 0.20);
  compare({3, 500}, 40'000, textbook, 0.35);
}

TEST(price_classes, price_131072_ranks_in_seconds) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for fewer ranks";
  for (const int dimensions : {2, 3}) {
    const auto begin = std::chrono::steady_clock::now();
    const price_result result = priced({dimensions, 131'072}, 64, load_machine("lemieux"), false);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 20);
    EXPECT_LE(result.ranks_walked, 40);
    EXPECT_EQ(result.stands_for.size(), 131'072U);
    EXPECT_GT(result.completion, result.processor_most);
  }
}
