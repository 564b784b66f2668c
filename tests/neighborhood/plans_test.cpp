// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/neighborhood/random_graphs.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/relay/plan_all.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::neighborhoods {
namespace {

constexpr contents both[] = {contents::same_for_all, contents::one_each};

all_plans plans_by(std::string_view scheme, const process_graph& graph,
                   const model::node_map& nodes, contents of, bool hands_over = false) {
  const chosen_scheme chosen = scheme_named(scheme);
  return plan_all(
      graph, nodes, of, [&](router& at) { return chosen.route(at); }, hands_over);
}

/// Schemes that run on this graph, with all values that change what they do.
std::vector<std::string> schemes_for(const process_graph& graph) {
  std::vector<std::string> all;
  for (const scheme& each : all_schemes()) {
    if (each.facts.needs_grid && !graph.coordinates()) continue;
    all.emplace_back(each.is.name);
  }
  all.emplace_back("halving:ranks=0");
  return all;
}

TEST(neighborhood_plans, bring_every_block_once) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const int ranks = 1 + static_cast<int>(seed % 41);
    const process_graph graph = test::drawn_graph(ranks, seed);
    const model::node_map nodes(test::drawn_nodes(ranks, seed));
    for (const std::string& scheme : schemes_for(graph)) {
      for (const contents of : both) {
        for (const bool hands_over : {false, true}) {
          const auto plans = plans_by(scheme, graph, nodes, of, hands_over);
          ASSERT_EQ(check(graph, of, plans.of), "") << scheme << ", seed " << seed << hands_over;
        }
      }
    }
  }
}

TEST(neighborhood_plans, bring_every_block_once_on_grids) {
  for (std::uint64_t seed = 0; seed < (test::sanitized ? 30 : 300); ++seed) {
    random_stream from(seed, 7);
    std::vector<int> sizes;
    std::vector<bool> rings;
    for (std::uint64_t d = 1 + from.below(3); d > 0; --d) {
      sizes.push_back(1 + static_cast<int>(from.below(d == 1 ? 9 : 5)));
      rings.push_back(from.below(2) == 0);
    }
    const grid on(sizes, rings);
    const process_graph whole = moore_graph(on, 1 + static_cast<int>(from.below(4)));
    // Some edges are missing, so neighbourhoods differ.
    std::vector<process_graph::edge> kept;
    const std::uint64_t missing = from.below(3);
    for (int rank = 0; rank < whole.ranks(); ++rank) {
      for (const int to : whole.destinations(rank)) {
        if (from.below(4) >= missing) kept.push_back({rank, to});
      }
    }
    const process_graph graph(whole.ranks(), kept, on);
    const model::node_map nodes(test::drawn_nodes(graph.ranks(), seed));
    for (const std::string& scheme : schemes_for(graph)) {
      for (const contents of : both) {
        const auto plans = plans_by(scheme, graph, nodes, of, seed % 2 == 1);
        ASSERT_EQ(check(graph, of, plans.of), "") << scheme << ", seed " << seed;
      }
    }
  }
}

/// The schedules of all ranks, under random interleavings.
std::string proven(const process_graph& graph, contents of, const std::vector<relay_plan>& plans,
                   std::uint64_t bytes, std::uint64_t shared_scratch, std::uint64_t seed) {
  std::vector<laid_out_plan> layouts;
  layouts.reserve(plans.size());
  schedule::expectation wanted{.ranks = graph.ranks()};
  for (const relay_plan& each : plans) {
    layouts.emplace_back(each, bytes, shared_scratch * graph.ranks());
    schedule::rank_call& call = wanted.calls.emplace_back();
    const auto rank = static_cast<int>(wanted.calls.size()) - 1;
    call.input_bytes = each.own_slots * bytes;
    call.output_bytes = graph.sources(rank).size() * bytes;
  }
  const auto schedule_of = [&](int rank) {
    return layouts[static_cast<std::size_t>(rank)].steps(shared_scratch);
  };
  const auto value = [&](int rank, std::uint64_t element) {
    const auto sources = graph.sources(rank);
    const std::size_t at = element / bytes;
    std::uint64_t block = 0;
    if (of == contents::one_each) {
      auto number = static_cast<std::size_t>(
          &sources[at] - &*std::find(sources.begin(), sources.end(), sources[at]));
      const auto destinations = graph.destinations(sources[at]);
      while (destinations[block] != rank || number-- > 0) ++block;
    }
    return schedule::abstract_value{
        {sources[at], static_cast<std::uint32_t>(block * bytes + element % bytes)}};
  };
  for (const bool sends_wait : {false, true}) {
    wanted.sends_wait = sends_wait;
    std::string wrong = schedule::validate(wanted, schedule_of, value, seed);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

TEST(neighborhood_plans, begin_behind_their_rank) {
  const all_plans plans = plans_by("direct", graph_of("random:permille=1000", 8),
                                   model::node_map::in_blocks(8, 4), contents::same_for_all);
  std::vector<int> peers;
  for (const relay_plan::message& each : plans.of[5].sends) peers.push_back(each.peer);
  EXPECT_EQ(peers, (std::vector<int>{6, 7, 0, 1, 2, 3, 4})) << "so not all send to rank 0 first";
}

TEST(neighborhood_plans, are_proven_as_schedules) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const int ranks = 1 + static_cast<int>(seed % 9);
    const process_graph graph = seed % 3 == 0 ? moore_graph(grid({ranks}, {seed % 2 == 0}), 2)
                                              : test::drawn_graph(ranks, seed);
    const model::node_map nodes(test::drawn_nodes(ranks, seed));
    for (const std::string& scheme : schemes_for(graph)) {
      for (const contents of : both) {
        for (const bool hands_over : {false, true}) {
          const auto plans = plans_by(scheme, graph, nodes, of, hands_over);
          // So many that all or some or none of the plans for shared memory have enough.
          const std::uint64_t shared_scratch = seed % 4 * 4;
          ASSERT_EQ(proven(graph, of, plans.of, 1 + seed % 3, shared_scratch, seed), "")
              << scheme << ", seed " << seed << hands_over;
        }
      }
    }
  }
}

struct reached {
  double messages;
  std::uint64_t most_messages;
  double between_nodes;
  double volume;
  double most_over_mean;
};

reached reach(std::string_view scheme, const process_graph& graph, int ranks_a_node) {
  const auto nodes = model::node_map::in_blocks(graph.ranks(), ranks_a_node);
  const auto seen = count(plans_by(scheme, graph, nodes, contents::same_for_all).of, nodes);
  return {seen.messages, seen.most_messages, seen.between_nodes, seen.volume,
          static_cast<double>(seen.most_volume) / seen.volume};
}

/// The paper's cluster D (7.6.1): 4,096 ranks, 40 a node. Bounds: what the direct scheme needs, and
/// what doubling needs at least, log2 of what is gathered along each dimension.
TEST(neighborhood_counts, of_moore_neighborhoods_of_4096_ranks) {
  const process_graph wide = graph_of("moore:d=2,r=4", 4096);
  EXPECT_EQ(reach("direct", wide, 40).messages, 80);
  const reached doubled = reach("doubling", wide, 40);
  EXPECT_EQ(doubled.most_messages, 8U);
  EXPECT_EQ(doubled.volume, 80) << "no block travels twice to a rank";
  const reached paired = reach("node_pairs", wide, 40);
  EXPECT_LT(paired.messages, 40);
  EXPECT_LE(paired.most_over_mean, 2) << "leaders share the load";
  const process_graph cube = graph_of("moore:d=3,r=1", 4096);
  EXPECT_EQ(reach("direct", cube, 40).messages, 26);
  EXPECT_EQ(reach("doubling", cube, 40).most_messages, 6U);
}

TEST(neighborhood_counts, of_a_random_graph_of_4096_ranks) {
  const process_graph graph = graph_of("random:permille=50", 4096);
  EXPECT_NEAR(reach("direct", graph, 40).messages, 205, 2);
  const reached paired = reach("node_pairs", graph, 40);
  EXPECT_LE(paired.between_nodes, 2.6);
  EXPECT_LE(paired.most_over_mean, 2);
  EXPECT_LE(reach("halving:ranks=0", graph, 40).messages, 46);
  EXPECT_LE(reach("halving", graph, 40).most_messages, 13U);
}

TEST(neighborhood_graphs, of_rings_of_one_and_two_name_a_rank_twice) {
  EXPECT_EQ(grid({2}, {true}).around(0, 1), (std::vector<int>{1, 1}));
  EXPECT_EQ(grid({1}, {true}).around(0, 1), (std::vector<int>{0, 0}));
  EXPECT_EQ(grid({2}, {false}).around(0, 1), (std::vector<int>{1}));
  EXPECT_EQ(grid({3, 3}, {true, true}).around(4, 1).size(), 8U);
  EXPECT_EQ(grid({3, 3}).around(0, 2'000'000'000).size(), 8U);  // nobody is farther away
  EXPECT_THROW(static_cast<void>(grid({3, 3}).around(4, -1)), error);
  EXPECT_THROW(static_cast<void>(grid({3, 3}, {true, false}).around(4, 2'000'000'000)), error);
  EXPECT_EQ(grid::balanced(4096, 2, true), grid({64, 64}, {true, true}));
  EXPECT_EQ(grid::balanced(12, 3, false), grid({3, 2, 2}));
  EXPECT_EQ(grid::balanced(7, 2, false), grid({7, 1}));
}

TEST(neighborhood_graphs, refuse_what_they_cannot_be) {
  EXPECT_THROW(grid({0}), error);
  EXPECT_THROW(grid({2, 2}, {true}), error);
  EXPECT_THROW(grid({1 << 20, 1 << 20}), error);
  EXPECT_THROW(static_cast<void>(graph_of("more:d=2", 4)), error);
  EXPECT_THROW(static_cast<void>(graph_of("moore:d=0", 4)), error);
  const process_graph::edge outside{0, 4};
  EXPECT_THROW(process_graph(4, std::span(&outside, 1)), error);
  EXPECT_THROW(static_cast<void>(scheme_named("halfing")), error);
}

// Whoever makes a neighborhood refuses this; a plan that came of it must end nevertheless.
TEST(neighborhood_plans, by_grids_that_differ_end) {
  constexpr int ranks = 8;
  const model::node_map nodes = model::node_map::in_blocks(ranks, ranks);
  grid_reach open(grid({ranks}));
  grid_reach ring(grid({ranks}, {true}));
  open.along = ring.along = {{0, 3}};
  std::vector<router> routers;
  std::vector<routing> goes;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<int> to;
    std::vector<int> from;
    for (int far = 1; far <= 3; ++far) {
      to.push_back((rank + far) % ranks);
      from.push_back((rank + ranks - far) % ranks);
    }
    routers.emplace_back(rank, surroundings{&nodes, rank == 0 ? &ring : &open}, to, from,
                         contents::one_each);
  }
  const chosen_scheme doubling = scheme_named("doubling");
  for (router& each : routers) goes.push_back(doubling.route(each));
  const auto one_round = [&] {
    std::vector<std::vector<letter>> inboxes(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      static_cast<void>(goes[at].resume());
      for (letter& each : routers[at].take_letters()) {
        if (each.peer >= 0)
          inboxes[static_cast<std::size_t>(each.peer)].push_back({rank, each.words});
      }
    }
    for (std::size_t at = 0; at < ranks; ++at) routers[at].take_in(std::move(inboxes[at]));
  };
  try {
    for (int round = 0; round < 3; ++round) one_round();
    FAIL() << "no error";
  } catch (const error& wrong) {
    EXPECT_EQ(wrong.kind(), error_kind::fault);
    EXPECT_NE(std::string(wrong.what()).find("members' grids differ"), std::string::npos)
        << wrong.what();
  }
}

}  // namespace
}  // namespace upwash::neighborhoods
