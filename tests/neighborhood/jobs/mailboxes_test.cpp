// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plans that members make by puts into mailboxes: the same as by messages, letter by letter.
#include "upwash/neighborhood/detail/mailboxes.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/neighborhood/random_graphs.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighborhood.hpp"

namespace {

using namespace upwash;
using neighborhoods::contents;
using neighborhoods::letter;
using neighborhoods::relay_plan;
using neighborhoods::detail::exchange_letters;
using neighborhoods::detail::mailboxes;

constexpr const char* schemes[] = {"direct",
                                   "node_pairs",
                                   "halving",
                                   "friends:k=2",
                                   "friends:k=3,aware=0,theta=1",
                                   "friends:k=2,aware=0,cumulative=1"};

bool same(const std::vector<relay_plan::message>& a, const std::vector<relay_plan::message>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return std::tie(one.peer, one.first, one.count) ==
           std::tie(other.peer, other.first, other.count);
  });
}

bool same(const relay_plan& a, const relay_plan& b) {
  const auto same_round = [](const auto& one, const auto& other) {
    return std::tie(one.number, one.sends_end, one.receives_end) ==
           std::tie(other.number, other.sends_end, other.receives_end);
  };
  const auto same_delivery = [](const auto& one, const auto& other) {
    return std::tie(one.slot, one.source) == std::tie(other.slot, other.source);
  };
  return std::tie(a.own_slots, a.slots, a.slots_sent) ==
             std::tie(b.own_slots, b.slots, b.slots_sent) &&
         same(a.sends, b.sends) && same(a.receives, b.receives) &&
         std::ranges::equal(a.rounds, b.rounds, same_round) &&
         std::ranges::equal(a.deliveries, b.deliveries, same_delivery);
}

neighborhood on_graph(const team& among, const process_graph& graph, agree_by by) {
  return {among,
          {graph.sources(among.rank()), graph.destinations(among.rank())},
          graph.coordinates(),
          {.plans_by = by}};
}

/// What a member writes in a round: to some members, of some words.
std::vector<letter> drawn_letters(const team& among, std::uint64_t seed) {
  random_stream from(seed, static_cast<std::uint64_t>(among.rank()));
  std::vector<letter> all;
  for (int to = 0; to < among.size(); ++to) {
    if (from.below(3) == 0) continue;
    std::vector<std::int32_t> words(from.below(from.below(8) == 0 ? 300 : 12));
    for (std::int32_t& each : words) each = static_cast<std::int32_t>(from.below(1U << 30U));
    all.push_back({to, std::move(words)});
  }
  return all;
}

void expect_same(const std::vector<letter>& came, const std::vector<letter>& wanted,
                 std::uint64_t round) {
  ASSERT_EQ(came.size(), wanted.size()) << "round " << round;
  for (std::size_t i = 0; i < came.size(); ++i) {
    ASSERT_EQ(came[i].peer, wanted[i].peer) << "round " << round;
    ASSERT_EQ(came[i].words, wanted[i].words) << "round " << round << ", of " << came[i].peer;
  }
}

}  // namespace

JOB_TEST(neighborhood_mailboxes, bring_the_letters_that_messages_bring) {
  mailboxes boxes(here.world());
  for (std::uint64_t round = 0; round < 12; ++round) {
    const std::vector<letter> wanted =
        exchange_letters(here.world(), drawn_letters(here.world(), round));
    expect_same(boxes.exchange(drawn_letters(here.world(), round)), wanted, round);
  }
  boxes.close();
}

JOB_TEST(neighborhood_mailboxes, lose_nothing_where_room_is_short, .least_ranks = 2) {
  for (const std::uint64_t bytes : {8U, 72U}) {
    mailboxes boxes(here.world(), bytes);
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::vector<letter> wanted =
          exchange_letters(here.world(), drawn_letters(here.world(), 40 + round));
      expect_same(boxes.exchange(drawn_letters(here.world(), 40 + round)), wanted, round);
    }
    EXPECT_GT(boxes.grown(), 0);
    // One of many letters that is too long does not keep back the others.
    std::vector<letter> going;
    for (int to = 0; to < here.size(); ++to) {
      going.push_back({to, std::vector<std::int32_t>(here.rank() == 0 ? 20000 : 1, here.rank())});
    }
    const int before = boxes.grown();
    const std::vector<letter> came = boxes.exchange(std::move(going));
    ASSERT_EQ(came.size(), static_cast<std::size_t>(here.size()));
    for (int from = 0; from < here.size(); ++from) {
      const auto& words = came[static_cast<std::size_t>(from)].words;
      EXPECT_EQ(words, std::vector<std::int32_t>(from == 0 ? 20000 : 1, from));
    }
    EXPECT_EQ(boxes.grown(), before + 1);
    boxes.close();
  }
}

JOB_TEST(neighborhood_mailboxes, give_the_plans_that_messages_give) {
  const auto seed = static_cast<std::uint64_t>(here.size());
  const process_graph graph = test::drawn_graph(here.size(), 3 + seed);
  const neighborhood by_messages = on_graph(here.world(), graph, agree_by::messages);
  const neighborhood by_puts = on_graph(here.world(), graph, agree_by::puts);
  for (const char* scheme : schemes) {
    for (const contents of : {contents::same_for_all, contents::one_each}) {
      EXPECT_TRUE(
          same(*by_messages.state().plan_of(scheme, of), *by_puts.state().plan_of(scheme, of)))
          << scheme << ", rank " << here.rank();
    }
  }
}

JOB_TEST(neighborhood_mailboxes, serve_overlapping_teams) {
  const team half = here.world().split(here.rank() % 2, -here.rank());
  const process_graph all = test::drawn_graph(here.size(), 11);
  const process_graph some = test::drawn_graph(half.size(), 12);
  const neighborhood wide = on_graph(here.world(), all, agree_by::puts);
  const neighborhood narrow = on_graph(half, some, agree_by::puts);
  for (const char* scheme : schemes) {
    for (const neighborhood* on : {&wide, &narrow, &wide}) {
      const int mine = on->among().rank();
      std::vector<int> theirs(on->sources().size());
      neighbor_all_gather(*on, blocking, std::span(&mine, 1), theirs, {.scheme = scheme});
      EXPECT_TRUE(std::ranges::equal(theirs, on->sources())) << scheme;
    }
  }
}

JOB_TEST(neighborhood_mailboxes, are_for_all_members_or_none, .least_ranks = 2) {
  std::string said = "accepted";
  try {
    static_cast<void>(
        neighborhood(here.world(), {}, {},
                     {.plans_by = here.rank() == 0 ? agree_by::puts : agree_by::messages}));
  } catch (const error& wrong) {
    said = wrong.what();
  }
  EXPECT_NE(said.find(here.rank() == 0 ? "plans_by is puts here" : "plans_by is messages here"),
            std::string::npos)
      << said;
}
