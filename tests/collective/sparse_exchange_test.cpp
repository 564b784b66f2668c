// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse exchange among ranks that do not know who sends to them.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/collective/message_set.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

using upwash::test::drawn_blocks;
using upwash::test::drawn_messages;
using upwash::test::message_set;

using senders = senders;

std::uint64_t barrier_messages(int ranks) { return ceil_log(static_cast<std::uint64_t>(ranks), 2); }

void expect_exchanged(const message_set& all, std::uint64_t times = seeds()) {
  for (const senders who : {senders::unknown, senders::known, senders::checked}) {
    const auto of_rank = [&](int rank) {
      return generator(sparse_exchange(all.of.ranks, rank, who));
    };
    expect_valid(all.of, of_rank, nothing_wanted, times);
    for (int rank = 0; rank < all.of.ranks; ++rank) {
      const auto& given = all.of.calls[static_cast<std::size_t>(rank)].given;
      const std::uint64_t bytes = std::accumulate(given[1].begin(), given[1].end(), 0ULL);
      const totals sum = count(of_rank(rank), all.facts_of(rank));
      const std::uint64_t more = who == senders::known ? 0 : barrier_messages(all.of.ranks);
      EXPECT_EQ(sum.messages_sent, given[0].size() + more);
      EXPECT_EQ(sum.bytes_sent, bytes);
    }
  }
}

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
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) expect_exchanged(message_set(ranks));
}

TEST(sparse_exchange, brings_messages_to_itself_and_several_to_one) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    message_set all(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      all.add(rank, rank, 3, 0);
      all.add(rank, (rank + 1) % ranks, 8, 1);
      all.add(rank, (rank + 1) % ranks, 8, 1);
      all.add(rank, (rank + 1) % ranks, 0, 40);
    }
    expect_exchanged(all);
  }
}

TEST(sparse_exchange, takes_more_messages_than_an_executor_keeps_steps) {
  message_set all(3);
  for (std::uint64_t i = 0; i < 300; ++i) all.add(1, static_cast<int>(i % 2), i % 5, i % 30);
  expect_exchanged(all);
}

TEST(sparse_exchange, is_valid_for_exchanges_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::uint64_t ranks =
        1 + random_bits(seed, 2, 3) % static_cast<std::uint64_t>(most_ranks());
    expect_exchanged(drawn_messages(static_cast<int>(ranks), seed), 1);
  }
}

TEST(sparse_exchange, brings_one_block_to_many) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    const message_set all = drawn_blocks(ranks, static_cast<std::uint64_t>(ranks));
    for (const senders who : {senders::unknown, senders::known, senders::checked}) {
      const auto of_rank = [&](int rank) {
        return generator(
            sparse_exchange(ranks, rank, who, upwash::collective::detail::to_each::whole_input));
      };
      expect_valid(all.of, of_rank, nothing_wanted);
    }
  }
}

TEST(sparse_exchange, finds_out_a_wrong_number_of_senders) {
  message_set all(4);
  all.add(1, 2, 8, 0);
  const auto wrong = [&](senders who) {
    const auto of_rank = [&](int rank) { return generator(sparse_exchange(4, rank, who)); };
    return validate(all.of, of_rank, nothing_wanted, 1);
  };
  all.of.calls[2].given[3] = {1, 3};
  EXPECT_NE(wrong(senders::known).find("deadlock: rank 2"), std::string::npos);
  EXPECT_NE(wrong(senders::checked).find("counts 2 messages; 1 came"), std::string::npos);
  all.of.calls[2].given[3] = {};
  EXPECT_NE(wrong(senders::known), "");
  EXPECT_NE(wrong(senders::checked).find("counts 0 messages; 1 came"), std::string::npos);
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
