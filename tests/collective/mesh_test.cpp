// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchanges over grids with combining: valid in random interleavings on teams of 1 to 40 (1 to
// 70 in the long run), with holes and without, and counted against the formulas.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/mesh_all_to_all.hpp"
#include "upwash/collective/mesh_all_to_all_v.hpp"
#include "upwash/schedule/count.hpp"
#include "upwash/schedule/validate.hpp"

namespace {

using namespace upwash::collective;
using namespace upwash::schedule;
using upwash::model::grid;

bool long_run() { return std::getenv("UPWASH_TEST_LONG") != nullptr; }
int most_ranks() { return long_run() ? 70 : 40; }
std::uint64_t seeds() { return long_run() ? 5 : 1; }

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

generator uniform(int ranks, int rank, std::uint64_t bytes, int dimensions = 3) {
  return generator(mesh_all_to_all(ranks, rank, bytes, {dimensions}));
}

/// The same steps for an executor that keeps as few open as it may.
template <class Algorithm>
struct in_a_small_window : Algorithm {
  using Algorithm::Algorithm;
  [[nodiscard]] std::uint32_t window() const noexcept { return 8; }
};

void expect_valid_uniform(int ranks, std::uint64_t blocks, int dimensions, std::uint64_t seed) {
  expectation of;
  of.ranks = ranks;
  of.element_bytes = 4;
  of.input_bytes = of.output_bytes = wide(ranks) * blocks * 4;
  const auto schedule_of = [&](int rank) {
    using algorithm = in_a_small_window<mesh_all_to_all>;
    if (seed % 2 == 1) return uniform(ranks, rank, blocks * 4, dimensions);
    return generator(algorithm(ranks, rank, blocks * 4, mesh_all_to_all::parameters{dimensions}));
  };
  const auto wanted = [&](int rank, std::uint64_t e) {
    const auto element = static_cast<std::uint32_t>(wide(rank) * blocks + e % blocks);
    return abstract_value{{static_cast<int>(e / blocks), element}};
  };
  ASSERT_EQ(validate(of, schedule_of, wanted, seed), "")
      << ranks << " ranks, " << blocks << " elements, " << dimensions << "-D, seed " << seed;
}

/// The call of all ranks in which rank a has `length(a, b)` bytes for b. Each block lies behind a
/// gap of `gap` bytes; in the input the blocks stand in the opposite order of ranks.
template <class Length>
expectation uneven_call(int ranks, std::uint64_t gap, const Length& length) {
  expectation of;
  of.ranks = ranks;
  of.calls.resize(wide(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    rank_call& call = of.calls[wide(rank)];
    for (auto& words : call.given) words.resize(wide(ranks));
    std::uint64_t output = 0;
    std::uint64_t input = 0;
    for (int other = 0; other < ranks; ++other) {
      call.given[2][wide(other)] = length(other, rank);
      call.given[3][wide(other)] = output += gap;
      output += length(other, rank);
      const int opposite = ranks - 1 - other;
      call.given[0][wide(opposite)] = length(rank, opposite);
      call.given[1][wide(opposite)] = input += gap;
      input += length(rank, opposite);
    }
    call.input_bytes = input;
    call.output_bytes = output;
  }
  return of;
}

/// What rank `rank` must find in byte `e` of its output.
abstract_value wanted_of(const expectation& of, int rank, std::uint64_t e) {
  const rank_call& call = of.calls[wide(rank)];
  for (int source = 0; source < of.ranks; ++source) {
    const std::uint64_t begin = call.given[3][wide(source)];
    if (e < begin || e >= begin + call.given[2][wide(source)]) continue;
    const std::uint64_t at_source = of.calls[wide(source)].given[1][wide(rank)];
    return {{source, static_cast<std::uint32_t>(at_source + e - begin)}};
  }
  return {};  // a gap
}

std::string validate_uneven(const expectation& of, mesh_all_to_all_v::parameters with,
                            std::uint64_t seed) {
  return validate(
      of,
      [&](int rank) {
        if (seed % 2 == 1) return generator(mesh_all_to_all_v(of.ranks, rank, with));
        return generator(in_a_small_window<mesh_all_to_all_v>(of.ranks, rank, with));
      },
      [&](int rank, std::uint64_t e) { return wanted_of(of, rank, e); }, seed);
}

}  // namespace

TEST(mesh_all_to_all, gives_everybody_everything_on_any_grid) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (std::uint64_t seed = 0; seed < 2 * seeds(); ++seed) {
      expect_valid_uniform(ranks, 1 + wide(ranks) % 3, 3, seed + wide(ranks));
    }
    expect_valid_uniform(ranks, 1, 1 + ranks % 4, wide(ranks));
    expect_valid_uniform(ranks, 1, 1 + (ranks + 1) % 4, wide(ranks));
  }
  expect_valid_uniform(9, 0, 3, 1);
  expect_valid_uniform(10, 0, 2, 2);
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

TEST(mesh_all_to_all_v, takes_any_lengths_on_any_grid) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
      // Many pairs have nothing, a few have much more than the rest.
      const auto length = [&](int from, int to) {
        const std::uint64_t draw = upwash::random_bits(seed, wide(ranks), wide(from * 97 + to));
        return draw % 3 == 0 ? 0 : draw % 17 == 1 ? 40 + draw / 17 % 30 : draw / 17 % 4;
      };
      const auto room = static_cast<std::uint32_t>(upwash::random_bits(seed, 1, wide(ranks)) % 60);
      const expectation of = uneven_call(ranks, seed % 3, length);
      for (const int dimensions : {3, 1 + ranks % 4}) {
        ASSERT_EQ(validate_uneven(of, {dimensions, room}, seed + wide(ranks)), "")
            << ranks << " ranks, seed " << seed << ", " << dimensions << "-D, room " << room;
      }
    }
  }
}
