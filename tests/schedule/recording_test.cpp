// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a recording keeps is what a run does: prices and replays of irregular collectives.
#include "upwash/schedule/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/collective/message_set.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/combining_exchange.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/price.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;
using test::message_set;
using upwash::collective::detail::to_each;

recording recorded(const message_set& all, const std::string& algorithm) {
  registry known;
  add_algorithms(known);
  const problem call{.of = kind::many_to_many, .ranks = all.of.ranks};
  const selection with = known.named(call.of, algorithm);
  return {all.of.ranks, [&](int rank) { return with.schedule_of(call, rank); },
          [&](int rank) { return all.facts_of(rank); }};
}

price_result priced(int ranks, function_ref<generator(int)> steps,
                    const transfer_rules& rules = {}) {
  price_options options;
  options.free_where_absent = true;
  options.every_rank = true;
  return price(ranks, steps, load_machine("lemieux"), rules, options);
}

duration replayed(int ranks, function_ref<generator(int)> steps) {
  simulator::replay_options options;
  options.free_where_absent = true;
  duration completion;
  for (const auto& each : simulator::replay(ranks, steps, load_machine("lemieux"), {}, options)) {
    completion = std::max(completion, each.completion);
  }
  return completion;
}

/// Lengths of all_to_all_v: `each` for all pairs.
struct equal_blocks {
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> offsets;

  equal_blocks(int ranks, std::uint64_t each) {
    for (int i = 0; i < ranks; ++i) {
      lengths.push_back(each);
      offsets.push_back(static_cast<std::uint64_t>(i) * each);
    }
  }
  [[nodiscard]] facts of(int /*rank*/) const {
    facts known;
    known.given = {lengths, offsets, lengths, offsets};
    return known;
  }
};

}  // namespace

TEST(recording, counts_like_the_exchange_of_equal_blocks) {
  for (const int ranks : {1, 8, 27, 30}) {
    const equal_blocks blocks(ranks, 40);
    const recording kept(
        ranks,
        [&](int rank) {
          return generator(mesh_all_to_all_v(ranks, rank, {3, 1U << 20U}));
        },
        [&](int rank) { return blocks.of(rank); });
    for (int rank = 0; rank < ranks; ++rank) {
      const totals uneven = count(kept.steps_of(rank));
      const totals even = count(generator(mesh_all_to_all(ranks, rank, 40, {3})));
      EXPECT_EQ(uneven.messages_sent, even.messages_sent);
      EXPECT_EQ(uneven.bytes_sent, even.bytes_sent);
      EXPECT_EQ(uneven.messages_received, even.messages_received);
      EXPECT_EQ(uneven.bytes_received, even.bytes_received);
    }
  }
}

TEST(recording, of_irregular_collectives_has_equal_price_and_replay) {
  for (const int ranks : {7, 16, 30}) {
    const equal_blocks blocks(ranks, 400);
    const recording v(
        ranks,
        [&](int rank) {
          return generator(mesh_all_to_all_v(ranks, rank, {2, 4096}));
        },
        [&](int rank) { return blocks.of(rank); });
    const auto of_v = [&](int rank) { return v.steps_of(rank); };
    EXPECT_NEAR(priced(ranks, of_v).completion.us() / replayed(ranks, of_v).us(), 1, 0.002)
        << ranks;
    for (const char* name : {"mesh2d", "mesh3d:inline=64", "hypercube", "sparse"}) {
      const message_set all = test::drawn_messages(ranks, static_cast<std::uint64_t>(ranks));
      const recording kept = recorded(all, name);
      const auto of = [&](int rank) { return kept.steps_of(rank); };
      EXPECT_NEAR(priced(ranks, of).completion.us() / replayed(ranks, of).us(), 1, 0.002)
          << name << ", " << ranks;
    }
  }
}

// What stands for a uniform exchange when algorithms are chosen: within a quarter of the exchange.
TEST(recording, of_uniform_exchanges_is_near_to_what_stands_for_it) {
  constexpr int ranks = 64;
  transfer_rules rules;
  rules.eager_bytes = 1U << 30U;  // what a message takes does not jump with its size
  registry known;
  add_algorithms(known);
  for (const int degree : {8, 32, 63}) {
    message_set all(ranks, 476);
    for (int rank = 0; rank < ranks; ++rank) {
      for (int k = 1; k <= degree; ++k) all.add(rank, (rank + k) % ranks, 476, 0);
    }
    const problem call{.of = kind::many_to_many, .ranks = ranks, .bytes = 476, .degree = degree};
    for (const char* name : {"mesh2d:inline=1m", "mesh3d:inline=1m", "hypercube:inline=1m"}) {
      const recording kept = recorded(all, name);
      const selection with = known.named(call.of, name);
      const auto steps = [&](int rank) { return kept.steps_of(rank); };
      const auto stand_in = [&](int rank) { return with.priced_schedule_of(call, rank); };
      const double exact = priced(ranks, steps, rules).completion.us();
      const double stands = priced(ranks, stand_in, rules).completion.us();
      EXPECT_NEAR(stands / exact, 1, 0.25)
          << name << ", degree " << degree << ": " << exact << " us";
    }
  }
}

TEST(recording, says_when_headers_never_come_and_when_steps_are_too_many) {
  const auto waits = [](int rank) {
    return generator(mesh_all_to_all_v(4, rank == 0 ? 0 : 1, {2, 9}));
  };
  const equal_blocks blocks(4, 8);
  const auto facts_of = [&](int rank) { return blocks.of(rank); };
  EXPECT_THROW(recording(4, waits, facts_of), error);
  const auto fine = [](int rank) { return generator(mesh_all_to_all_v(4, rank, {2, 9})); };
  EXPECT_THROW(recording(4, fine, facts_of, 10), error);
  EXPECT_NO_THROW(recording(4, fine, facts_of));
}
