// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What Ghazimirsaeed 2019, section 7.6, says of its figures, on a machine like its clusters
// (`edr`): 4,096 ranks, 40 a node, for Moore neighborhoods; 1,024, 32 a node, for random graphs.
// Prices of whole schedules; no constant is fitted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/relay/plan_all.hpp"
#include "upwash/neighborhood/relay/price_plans.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {
namespace {

/// As the thesis has it, whose library sends in the order of ranks; here each rank begins behind
/// itself, which takes direct up to half its time.
void send_in_order_of_ranks(std::vector<relay_plan>& plans) {
  for (relay_plan& each : plans) {
    auto begin = each.sends.begin();
    for (const relay_plan::round& now : each.rounds) {
      const auto end = each.sends.begin() + now.sends_end;
      std::sort(begin, end, [](const auto& a, const auto& b) { return a.peer < b.peer; });
      begin = end;
    }
  }
}

/// One graph on one machine.
class setting {
 public:
  setting(std::string_view graph, int ranks, int ranks_a_node)
      : graph_(graph_of(graph, ranks)),
        nodes_(model::node_map::in_blocks(ranks, ranks_a_node)),
        on_(ranks_a_node == 40 ? load_machine("edr")
                               : with_ranks_a_node(load_machine("edr"), ranks_a_node)) {}

  /// Groups that a rank could be in, in the mean.
  [[nodiscard]] double hyperedges(const std::string& scheme) {
    return static_cast<double>(plans(scheme).noted) / graph_.ranks();
  }
  [[nodiscard]] double speedup(const std::string& scheme, std::uint64_t bytes) {
    return price("direct", bytes) / price(scheme, bytes);
  }
  [[nodiscard]] double price(const std::string& scheme, std::uint64_t bytes) {
    const auto [at, is_new] = prices_.try_emplace({scheme, bytes});
    if (is_new) at->second = price_plans(plans(scheme).of, bytes, {nodes_, on_, eager_bytes}).us();
    return at->second;
  }

 private:
  const all_plans& plans(const std::string& scheme) {
    const auto [at, is_new] = made_.try_emplace(scheme);
    if (is_new) {
      const chosen_scheme chosen = scheme_named(scheme);
      at->second = plan_all(graph_, nodes_, contents::same_for_all,
                            [&](router& here) { return chosen.route(here); });
      send_in_order_of_ranks(at->second.of);
    }
    return at->second;
  }

  static constexpr std::uint64_t eager_bytes = 512;  ///< larger edges are offered and fetched

  process_graph graph_;
  model::node_map nodes_;
  machine on_;
  std::map<std::string, all_plans> made_;
  std::map<std::pair<std::string, std::uint64_t>, double> prices_;
};

using test::sanitized;

constexpr int moore_ranks = sanitized ? 1024 : 4096;

setting moore(int dimensions, int radius) {
  return {fmt::format("moore:d={},r={}", dimensions, radius), moore_ranks, 40};
}
setting random(int permille) { return {fmt::format("random:permille={}", permille), 1024, 32}; }

/// As the paper runs them, stage by stage; in one exchange they gain more.
std::string friends(int k, bool aware = true) {
  return fmt::format("friends_staged:k={}{}", k, aware ? "" : ",aware=0");
}

TEST(ghazimirsaeed_2019, figure_7_5_hyperedges_of_moore_neighborhoods) {
  double before = 0;
  double agnostic_before = 0;
  for (const int radius : {1, 2, 4}) {
    setting at = moore(2, radius);
    const double aware = at.hyperedges(friends(2));
    const double agnostic = at.hyperedges(friends(2, false));
    EXPECT_GT(aware, before) << "they grow with the radius";
    EXPECT_GT(agnostic, agnostic_before);
    EXPECT_LT(aware, agnostic) << "there are fewer friends in a node than in all";
    before = aware;
    agnostic_before = agnostic;
  }
  // More with k up to a point, where groups still have enough in common.
  setting wide = moore(2, 4);
  EXPECT_GT(wide.hyperedges(friends(4)), wide.hyperedges(friends(2)));
  EXPECT_LT(wide.hyperedges(friends(8)), wide.hyperedges(friends(6)));
  EXPECT_EQ(wide.hyperedges(friends(16, false)), 0) << "a missing bar";
}

TEST(ghazimirsaeed_2019, figure_7_6_speedups_of_moore_neighborhoods_for_4_bytes) {
  const auto best = [](setting at) {
    double most = 0;
    for (const int k : {2, 4}) {
      most = std::max({most, at.speedup(friends(k), 4), at.speedup(friends(k, false), 4)});
    }
    return most;
  };
  const double few = best(moore(2, 1));
  const double some = best(moore(2, 2));
  const double many = best(moore(2, 4));
  EXPECT_LT(few, 1.25) << "few common neighbours: hardly any gain";
  EXPECT_GT(some, few) << "it grows with the density";
  EXPECT_GT(many, some);
  EXPECT_GT(many, 2);
  EXPECT_LT(many, 4.5) << "up to around 4";
}

TEST(ghazimirsaeed_2019, figure_7_7_speedups_of_a_moore_neighborhood_fall_with_size) {
  setting at = moore(2, 4);
  for (const int k : {2, 4}) {
    const double small = at.speedup(friends(k), 4);
    EXPECT_GT(small, 1.7) << k;
    EXPECT_GT(small, at.speedup(friends(k), 256)) << k;
    EXPECT_NEAR(at.speedup(friends(k), 4096), 1, 0.25) << k << ": around 1 beyond 1 KB";
  }
}

TEST(ghazimirsaeed_2019, figure_7_9_hyperedges_of_random_graphs) {
  setting sparse = random(50);
  setting denser = random(200);
  EXPECT_GT(denser.hyperedges(friends(2)), sparse.hyperedges(friends(2)));
  EXPECT_LT(sparse.hyperedges(friends(3)), 0.1) << "none of three";
  EXPECT_EQ(sparse.hyperedges(friends(4)), 0);
  EXPECT_EQ(denser.hyperedges(friends(6)), 0) << "none of six";
}

TEST(ghazimirsaeed_2019, figures_7_10_and_7_11_speedups_of_random_graphs) {
  setting sparse = random(50);
  setting denser = random(200);
  EXPECT_NEAR(sparse.speedup(friends(2), 4), 1, 0.15) << "around 1";
  const double two = denser.speedup(friends(2), 4);
  EXPECT_GT(two, 1.2);
  EXPECT_GT(two, denser.speedup(friends(3), 4)) << "k = 2 is best here";
  EXPECT_GT(denser.speedup(friends(3), 4), denser.speedup(friends(4), 4));
  EXPECT_EQ(denser.speedup(friends(6), 4), 1) << "no groups";
}

/// Rounds count where messages are few; where they are many, their order at busy ranks does.
TEST(neighborhood_prices, of_friends_in_one_exchange_are_lower_where_messages_are_few) {
  setting grid = moore(2, 1);
  setting sparse = random(50);
  for (setting* const on : {&grid, &sparse}) {
    EXPECT_LT(on->price("friends:k=2", 4), 0.95 * on->price(friends(2), 4));
  }
}

/// Far beyond the paper: schemes that combine by node, halving, doubling.
TEST(neighborhood_prices, of_small_blocks_are_far_below_direct) {
  setting grid = moore(2, 4);
  EXPECT_GT(grid.speedup("node_pairs", 4), 4);
  EXPECT_GT(grid.speedup("doubling", 4), 4);
  EXPECT_GT(random(200).speedup("node_pairs", 4), 15);
  if (!sanitized) {
    EXPECT_GT(random(800).speedup("halving:ranks=0", 4), 40);
  }
}

}  // namespace
}  // namespace upwash::neighborhoods
