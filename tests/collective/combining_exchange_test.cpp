// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many over grids and cubes, each with a message of its own and one block for several:
// valid for any messages, and its messages and bytes where the headers really flow.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/collective/header_run.hpp"
#include "tests/collective/message_set.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/combining_exchange.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;
using test::drawn_blocks;
using test::drawn_messages;
using test::header_run;
using test::message_set;
using upwash::collective::detail::to_each;

constexpr int cube = 0;  ///< among dimensions: the hypercube

generator exchange(int ranks, int rank, int dimensions, to_each what, std::uint32_t inline_bytes) {
  if (dimensions == cube) {
    return generator(hypercube_many_to_many(ranks, rank, {what, inline_bytes}));
  }
  return generator(mesh_many_to_many(ranks, rank, dimensions, {what, inline_bytes}));
}

void expect_exchanged(const message_set& all, to_each what, std::uint64_t times) {
  for (const int dimensions : {cube, 1, 2, 3, 4}) {
    for (const std::uint32_t inline_bytes : {0, 20}) {
      SCOPED_TRACE(testing::Message() << all.of.ranks << " ranks, " << dimensions << " dimensions, "
                                      << inline_bytes << " bytes inline");
      const auto of_rank = [&](int rank) {
        return exchange(all.of.ranks, rank, dimensions, what, inline_bytes);
      };
      if (times == 0) {
        ASSERT_EQ(validate(all.of, of_rank, nothing_wanted, 1), "");
      } else {
        expect_valid(all.of, of_rank, nothing_wanted, times);
      }
    }
  }
}

/// The neighbours i+1 .. i+degree; the inputs are as large as need be.
message_set neighbors(int ranks, int degree, std::uint64_t bytes) {
  message_set all(ranks, bytes);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int k = 1; k <= degree; ++k) all.add(rank, (rank + k) % ranks, bytes, 0);
  }
  return all;
}

message_set neighbor_blocks(int ranks, int degree, std::uint64_t bytes) {
  message_set all(ranks, bytes);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int k = 1; k <= degree; ++k) all.add_to_block(rank, (rank + k) % ranks);
  }
  return all;
}

struct traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t words = 0;
};

/// Of all ranks.
traffic traffic_of(const message_set& all, int dimensions, to_each what,
                   std::uint32_t inline_bytes) {
  const header_run run(all.of, 300, [&](int rank) {
    return exchange(all.of.ranks, rank, dimensions, what, inline_bytes);
  });
  EXPECT_TRUE(run.finished());
  traffic sum;
  for (int rank = 0; rank < all.of.ranks; ++rank) {
    sum.messages += run.of(rank).messages;
    sum.bytes += run.of(rank).bytes;
    sum.words += run.of(rank).words;
  }
  return sum;
}

constexpr std::uint32_t ample = 1U << 20U;

}  // namespace

TEST(combining_exchange, brings_nothing_where_nobody_sends) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    expect_exchanged(message_set(ranks), to_each::message_of_its_own, 0);
    expect_exchanged(message_set(ranks, 0), to_each::whole_input, 0);
  }
}

TEST(combining_exchange, is_valid_for_messages_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 10 : 1;
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      const std::uint64_t seed = draw * 100 + static_cast<std::uint64_t>(ranks);
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      const std::uint64_t times = ranks < 12 ? seeds() : 0;
      expect_exchanged(drawn_messages(ranks, seed), to_each::message_of_its_own, times);
      expect_exchanged(drawn_blocks(ranks, seed), to_each::whole_input, times);
    }
  }
}

TEST(combining_exchange, is_valid_among_all) {
  for (const int ranks : {2, 5, 9, 12}) {
    expect_exchanged(neighbors(ranks, ranks - 1, 3), to_each::message_of_its_own, 1);
    expect_exchanged(neighbor_blocks(ranks, ranks, 3), to_each::whole_input, 1);
  }
}

// Equations 3.17 and 3.18: the messages do not depend on the degree, and each byte travels at most
// once a dimension; over all pairs the exact number of hops is known.
TEST(combining_exchange, sends_as_equations_3_17_and_3_18_say) {
  for (const int dimensions : {2, 3}) {
    const int side = dimensions == 2 ? 9 : 4;
    const int ranks = dimensions == 2 ? side * side : side * side * side;
    const auto lines = static_cast<std::uint64_t>(dimensions * (side - 1) * ranks);
    for (const int degree : {0, 1, 7, ranks - 1}) {
      const traffic sum =
          traffic_of(neighbors(ranks, degree, 76), dimensions, to_each::message_of_its_own, ample);
      const auto pairs = static_cast<std::uint64_t>(ranks * degree);
      EXPECT_EQ(sum.messages, lines) << degree;
      EXPECT_LE(sum.bytes, pairs * 76 * static_cast<std::uint64_t>(dimensions));
      EXPECT_EQ(sum.words, 3 * sum.messages + 2 * sum.bytes / 76);
      if (degree + 1 == ranks) {
        EXPECT_EQ(sum.bytes, lines * 76 * static_cast<std::uint64_t>(ranks / side));
      }
    }
  }
}

// Equation 3.19: log2 P messages; over all pairs half the bytes cross in each stage.
TEST(combining_exchange, sends_as_equation_3_19_says) {
  for (const int degree : {0, 5, 31}) {
    const traffic sum =
        traffic_of(neighbors(32, degree, 76), cube, to_each::message_of_its_own, ample);
    EXPECT_EQ(sum.messages, 5U * 32U);
    EXPECT_LE(sum.bytes, 5U * 32U * static_cast<std::uint64_t>(degree) * 76U);
    if (degree == 31) {
      EXPECT_EQ(sum.bytes, 5U * 32U * 16U * 76U);
    }
  }
}

// Equations 3.21 to 3.23: a block crosses each hop once, so in all it is sent once to each member
// that it reaches (itself but once beyond): P - 1 times when it goes to all.
TEST(combining_exchange, sends_a_block_once_over_each_hop) {
  for (const auto& [dimensions, ranks, messages] :
       {std::tuple(2, 49, 2 * 6), std::tuple(3, 64, 3 * 3), std::tuple(cube, 64, 6)}) {
    const auto all = static_cast<std::uint64_t>(ranks);
    for (const int degree : {1, 10, ranks - 1}) {
      const traffic sum =
          traffic_of(neighbor_blocks(ranks, degree, 100), dimensions, to_each::whole_input, ample);
      EXPECT_EQ(sum.messages, all * static_cast<std::uint64_t>(messages));
      EXPECT_GE(sum.bytes, all * static_cast<std::uint64_t>(degree) * 100);
      EXPECT_LE(sum.bytes, all * (all - 1) * 100);
      if (degree + 1 == ranks) {
        EXPECT_EQ(sum.bytes, all * (all - 1) * 100);
      }
    }
  }
}

TEST(combining_exchange, sends_a_second_message_for_what_is_long) {
  const message_set one = [] {
    message_set all(16, 5000);
    all.add(0, 15, 5000, 0);
    return all;
  }();
  EXPECT_EQ(traffic_of(one, 2, to_each::message_of_its_own, 5000).messages, 16U * 6U);
  EXPECT_EQ(traffic_of(one, 2, to_each::message_of_its_own, 4999).messages, 16U * 6U + 2U);
}

TEST(combining_exchange, keeps_little_between_steps) {
#if defined(NDEBUG) && defined(__OPTIMIZE__)
  if (test::sanitized) GTEST_SKIP() << "frames grow under sanitizers";
  for (const int dimensions : {cube, 3}) {
    const message_set all = drawn_messages(24, 1);
    const header_run run(all.of, 300, [&](int rank) {
      return exchange(24, rank, dimensions, to_each::message_of_its_own, 20);
    });
    EXPECT_GT(run.of(0).frame_bytes, 100U);
    EXPECT_LT(run.of(0).frame_bytes, 1024U) << dimensions;
  }
#endif
}

TEST(combining_exchange, says_what_is_wrong) {
  const auto complaint = [](std::vector<std::uint64_t> to, std::vector<std::uint64_t> bytes) {
    facts known;
    known.given[0] = to;
    known.given[1] = known.given[2] = bytes;
    generator steps = exchange(4, 0, 2, to_each::message_of_its_own, 64);
    try {
      for (step s; steps.next(s, known);) {
      }
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint({3, 4}, {1, 1}),
            "many_to_many: message 1 goes to rank 4; the team has 4 ranks");
  EXPECT_EQ(complaint({3}, {}),
            "many_to_many: 1 destinations, 0 lengths, 0 offsets; give as many of each");
  EXPECT_NE(complaint({3}, {1}).find("slots where a stage asked for"), std::string::npos);
}
