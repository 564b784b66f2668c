// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse exchange among ranks that do not know who sends to them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collective/cases.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

constexpr std::uint64_t input_bytes = 40;

/// A message for each (source, destination, bytes, offset), and what the destinations get.
struct exchange {
  expectation of;

  explicit exchange(int ranks) {
    of.ranks = ranks;
    of.input_bytes = input_bytes;
    of.calls.resize(static_cast<std::size_t>(ranks));
  }
  void add(int source, int destination, std::uint64_t bytes, std::uint64_t offset) {
    auto& given = of.calls[static_cast<std::size_t>(source)].given;
    given[0].push_back(static_cast<std::uint64_t>(destination));
    given[1].push_back(bytes);
    given[2].push_back(offset);
    arrival& there = of.calls[static_cast<std::size_t>(destination)].arrivals.emplace_back();
    there.source = source;
    for (std::uint64_t e = offset; e < offset + bytes; ++e) {
      there.values.push_back({{source, static_cast<std::uint32_t>(e)}});
    }
  }
  [[nodiscard]] facts facts_of(int rank) const {
    facts known;
    const auto& given = of.calls[static_cast<std::size_t>(rank)].given;
    for (std::size_t i = 0; i < given.size(); ++i) known.given[i] = given[i];
    return known;
  }
  void expect_exchanged(std::uint64_t times = seeds()) const {
    const auto of_rank = [this](int rank) { return generator(sparse_exchange(of.ranks, rank)); };
    expect_valid(of, of_rank, nothing_wanted, times);
    for (int rank = 0; rank < of.ranks; ++rank) {
      const auto& given = of.calls[static_cast<std::size_t>(rank)].given;
      std::uint64_t bytes = 0;
      for (const std::uint64_t each : given[1]) bytes += each;
      const totals sum = count(of_rank(rank), facts_of(rank));
      EXPECT_EQ(sum.messages_sent,
                given[0].size() + ceil_log(static_cast<std::uint64_t>(of.ranks), 2));
      EXPECT_EQ(sum.bytes_sent, bytes);
    }
  }
};

std::string complaint(int ranks, std::vector<std::uint64_t> to, std::vector<std::uint64_t> bytes) {
  facts known;
  known.given[0] = to;
  known.given[1] = known.given[2] = bytes;
  generator steps(sparse_exchange(ranks, 0));
  try {
    for (step s; steps.next(s, known);) {
    }
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST(sparse_exchange, brings_nothing_where_nobody_sends) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) exchange(ranks).expect_exchanged();
}

TEST(sparse_exchange, brings_messages_to_itself_and_several_to_one) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    exchange all(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      all.add(rank, rank, 3, 0);
      all.add(rank, (rank + 1) % ranks, 8, 1);
      all.add(rank, (rank + 1) % ranks, 8, 1);
      all.add(rank, (rank + 1) % ranks, 0, 40);
    }
    all.expect_exchanged();
  }
}

TEST(sparse_exchange, takes_more_messages_than_an_executor_keeps_steps) {
  exchange all(3);
  for (std::uint64_t i = 0; i < 300; ++i) all.add(1, static_cast<int>(i % 2), i % 5, i % 30);
  all.expect_exchanged();
}

TEST(sparse_exchange, is_valid_for_exchanges_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 1);
    const std::uint64_t ranks = 1 + random.below(static_cast<std::uint64_t>(most_ranks()));
    exchange all(static_cast<int>(ranks));
    for (std::uint64_t left = random.below(4 * ranks); left > 0; --left) {
      const std::uint64_t bytes = random.below(10) * random.below(5);
      all.add(static_cast<int>(random.below(ranks)), static_cast<int>(random.below(ranks)), bytes,
              random.below(input_bytes - bytes + 1));
    }
    all.expect_exchanged(1);
  }
}

TEST(sparse_exchange, refuses_ranks_outside_the_team_and_arrays_that_do_not_match) {
  EXPECT_EQ(complaint(4, {3}, {1}), "");
  EXPECT_NE(complaint(4, {3, 4}, {1, 1}).find("message 1 goes to rank 4; the team has 4 ranks"),
            std::string::npos);
  EXPECT_NE(complaint(4, {3}, {}).find("1 destinations, 0 lengths, 0 offsets"), std::string::npos);
}

TEST(sparse_exchange, costs_a_barrier_and_no_more_on_huge_teams) {
  const generator steps(sparse_exchange(131'072, 5));
  EXPECT_EQ(count(steps).messages_sent, 17U);
  EXPECT_LE(steps.window(), 2U);
}
