// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange over grids with combining: valid in random interleavings, with holes and without,
// and counted against the formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collective/header_run.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/schedule/count.hpp"
#include "upwash/schedule/validate.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;
using upwash::test::header_run;
using upwash::test::in_a_small_window;

bool long_run() { return std::getenv("UPWASH_TEST_LONG") != nullptr; }
constexpr int most_ranks = 70;
std::uint64_t seeds() { return long_run() ? 5 : 1; }

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

generator uniform(int ranks, int rank, std::uint64_t bytes, int dimensions = 3) {
  return generator(mesh_all_to_all(ranks, rank, bytes, {dimensions}));
}

void expect_valid_uniform(int ranks, std::uint64_t blocks, int dimensions, std::uint64_t seed) {
  expectation of;
  of.ranks = ranks;
  of.element_bytes = 4;
  of.input_bytes = of.output_bytes = wide(ranks) * blocks * 4;
  const auto schedule_of = [&](int rank) {
    generator all = uniform(ranks, rank, blocks * 4, dimensions);
    return seed % 2 == 1 ? std::move(all) : in_a_small_window(std::move(all));
  };
  const auto wanted = [&](int rank, std::uint64_t e) {
    const auto element = static_cast<std::uint32_t>(wide(rank) * blocks + e % blocks);
    return abstract_value{{static_cast<int>(e / blocks), element}};
  };
  ASSERT_EQ(validate(of, schedule_of, wanted, seed), "")
      << ranks << " ranks, " << blocks << " elements, " << dimensions << "-D, seed " << seed;
}

std::uint64_t ceil_cbrt(int ranks) {
  std::uint64_t side = 1;
  while (side * side * side < wide(ranks)) ++side;
  return side;
}

}  // namespace

TEST(mesh_all_to_all, gives_everybody_everything_on_any_grid) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
      expect_valid_uniform(ranks, 1 + wide(ranks) % 3, 3, seed + wide(ranks));
    }
    if (ranks > 40 && !long_run()) continue;
    for (const int dimensions : {1, 2, 3, 4}) {
      expect_valid_uniform(ranks, 1, dimensions, wide(ranks + dimensions / 2));
    }
  }
  expect_valid_uniform(9, 0, 3, 1);
  expect_valid_uniform(10, 0, 2, 2);
}

TEST(mesh_all_to_all, needs_few_open_steps_and_no_buffers_in_between) {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    expectation of;
    of.ranks = ranks;
    for (const int dimensions : {1, 2, 3, 4}) {
      const header_run run(of, 9, [&](int rank) { return uniform(ranks, rank, 8, dimensions); });
      ASSERT_TRUE(run.finished()) << ranks << " ranks, " << dimensions << "-D";
    }
  }
  expectation of;  // too few: all send, nobody receives
  of.ranks = 8;
  EXPECT_FALSE(header_run(of, 1, [](int rank) { return uniform(8, rank, 8); }).finished());
}

TEST(mesh_all_to_all, costs_what_the_paper_says_on_cubes) {
  for (const int side : {2, 3, 4, 10, 20}) {
    const int ranks = side * side * side;
    const std::uint64_t bytes = 24;
    const totals sum = count(uniform(ranks, ranks / 3, bytes));
    const std::uint64_t messages = 3 * wide(side - 1);  // equation 3.6
    EXPECT_EQ(sum.messages_sent, messages);
    EXPECT_EQ(sum.messages_received, messages);
    EXPECT_EQ(sum.bytes_sent, messages * wide(side * side) * bytes);
    EXPECT_EQ(sum.bytes_received, sum.bytes_sent);
    EXPECT_EQ(sum.bytes_copied, 3 * wide(ranks) * bytes);
    EXPECT_EQ(sum.stages, 0U);
    EXPECT_EQ(sum.header_bytes_sent, 0U);
    EXPECT_EQ(sum.rounds, 3U);
    generator steps = uniform(ranks, ranks / 3, bytes);
    for (step s; steps.next(s);) {
      if (s.kind != step_kind::send) continue;
      ASSERT_EQ(s.left.bytes, wide(side * side) * bytes);
    }
  }
}

TEST(mesh_all_to_all, sends_few_messages_on_any_grid) {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    const std::uint64_t most = 3 * (ceil_cbrt(ranks) - 1);
    // The ranks below holes hear of two more in each of two phases, and of one less in the third.
    const std::uint64_t more = ranks == 30 || ranks == 31 ? 5 : 3;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const totals sum = count(uniform(ranks, rank, 1));
      EXPECT_LE(sum.messages_sent, most) << rank << " of " << ranks;
      EXPECT_LE(sum.messages_received, most + more) << rank << " of " << ranks;
      sent += sum.bytes_sent;
      received += sum.bytes_received;
    }
    EXPECT_EQ(sent, received);
  }
}

TEST(mesh_all_to_all, is_the_direct_exchange_in_one_dimension) {
  const totals sum = count(uniform(50, 7, 24, 1));
  EXPECT_EQ(sum.messages_sent, 49U);
  EXPECT_EQ(sum.bytes_sent, 49U * 24U);
  EXPECT_EQ(sum.bytes_copied, 24U);
  EXPECT_EQ(uniform(50, 7, 24, 1).scratch_bytes(), 0U);
}

TEST(mesh_all_to_all, is_alike_at_all_ranks_without_holes) {
  EXPECT_TRUE(uniform(64, 3, 8).wants().alike);
  EXPECT_FALSE(uniform(63, 3, 8).wants().alike);
  const int ranks = 64;
  for (int rank = 1; rank < ranks; ++rank) {
    generator first = uniform(ranks, 0, 8);
    generator other = uniform(ranks, rank, 8);
    step a;
    step b;
    while (first.next(a)) {
      ASSERT_TRUE(other.next(b));
      ASSERT_EQ(
          std::tie(a.kind, a.edge, a.round, a.left.bytes, a.into.bytes, a.after, a.after_all),
          std::tie(b.kind, b.edge, b.round, b.left.bytes, b.into.bytes, b.after, b.after_all));
    }
    ASSERT_FALSE(other.next(b));
  }
}

TEST(mesh_all_to_all, does_not_overflow) {
  const std::uint64_t bytes = std::uint64_t{3} << 31U;
  EXPECT_EQ(count(uniform(64, 63, bytes)).bytes_sent, 9 * 16 * bytes);
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  generator steps = uniform(63, 62, bytes);  // with a hole
  for (step s; steps.next(s);) {
    if (s.left.of == buffer::input) read = std::max(read, s.left.end());
    if (s.into.of == buffer::output) written = std::max(written, s.into.end());
    for (const piece& p : {s.left, s.into}) {
      if (p.of != buffer::scratch) continue;
      ASSERT_LE(p.end(), steps.scratch_bytes());
    }
  }
  EXPECT_EQ(read, 63 * bytes);
  EXPECT_EQ(written, 63 * bytes);
}

TEST(mesh_all_to_all, answers_at_once_on_huge_teams) {
  generator steps = uniform(131'072, 77'777, std::uint64_t{1} << 20U);
  step s;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(steps.next(s));
  EXPECT_EQ(count(uniform(64 * 64 * 64, 99'999, 8)).messages_sent, 3U * 63U);
}
