// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of plans: by outlines, of ranks that lie anywhere.
#include "upwash/neighborhood/relay/price_plans.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "upwash/model/cost.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/relay/plan_all.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::neighborhoods {
namespace {

constexpr std::uint64_t eager_bytes = 16384;

std::vector<relay_plan> plans_of(const process_graph& graph, const model::node_map& nodes,
                                 const std::string& scheme, contents of) {
  const chosen_scheme one = scheme_named(scheme);
  return plan_all(graph, nodes, of, [&](router& at) { return one.route(at); }).of;
}

/// Of the whole schedules, step by step.
duration price_of_schedules(const std::vector<relay_plan>& plans, std::uint64_t bytes,
                            const machine& on) {
  std::vector<laid_out_plan> layouts;
  layouts.reserve(plans.size());
  for (const relay_plan& each : plans) layouts.emplace_back(each, bytes);
  schedule::price_options options;
  options.every_rank = true;
  schedule::transfer_rules rules;
  rules.eager_bytes = eager_bytes;
  return schedule::price(
             static_cast<int>(plans.size()),
             [&](int rank) { return layouts[static_cast<std::size_t>(rank)].steps_by_messages(); },
             model::with_edges(on), rules, options)
      .completion;
}

TEST(neighborhood_prices, of_outlines_are_those_of_schedules) {
  constexpr int ranks = 48;
  const machine on = with_ranks_a_node(load_machine("edr"), 8);
  const model::node_map nodes = model::node_map::in_blocks(ranks, 8);
  for (const char* name : {"moore:d=2,r=2", "random:permille=300", "star:hubs=2"}) {
    const process_graph graph = graph_of(name, ranks);
    for (const char* scheme : {"direct", "node_pairs", "halving", "friends:k=2"}) {
      for (const contents of : {contents::same_for_all, contents::one_each}) {
        for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{5000}}) {
          const auto plans = plans_of(graph, nodes, scheme, of);
          const double outlines = price_plans(plans, bytes, {nodes, on, eager_bytes}).us();
          const double schedules = price_of_schedules(plans, bytes, on).us();
          EXPECT_NEAR(outlines / schedules, 1, 0.01) << name << ' ' << scheme << ' ' << bytes;
        }
      }
    }
  }
}

TEST(neighborhood_prices, see_where_ranks_lie) {
  constexpr int ranks = 16;
  const machine on = load_machine("edr");
  const process_graph ring = graph_of("moore:d=1,r=1", ranks);
  const auto price = [&](const std::vector<int>& node_of) {
    const model::node_map nodes(node_of);
    return price_plans(plans_of(ring, nodes, "direct", contents::same_for_all), 8,
                       {nodes, on, eager_bytes});
  };
  std::vector<int> in_turn;
  std::vector<int> in_blocks;
  std::vector<int> uneven;
  for (int rank = 0; rank < ranks; ++rank) {
    in_turn.push_back(rank % 4);
    in_blocks.push_back(rank / 4);
    uneven.push_back(rank < 9 ? 0 : rank < 10 ? 1 : 2);
  }
  const std::vector<int> one_node(ranks, 0);
  EXPECT_GT(price(in_turn), price(in_blocks)) << "all neighbours are on other nodes";
  EXPECT_GT(price(in_blocks), price(one_node));
  EXPECT_GT(price(uneven), price(one_node));
  EXPECT_LT(price(uneven), price(in_turn));
}

TEST(neighborhood_prices, need_no_cost_of_copies) {
  const machine on = load_machine("lemieux");
  const model::node_map nodes = model::node_map::in_blocks(16, 4);
  const auto plans =
      plans_of(graph_of("moore:d=2,r=1", 16), nodes, "halving", contents::same_for_all);
  EXPECT_GT(price_plans(plans, 8, {nodes, on, eager_bytes}), duration());
}

}  // namespace
}  // namespace upwash::neighborhoods
