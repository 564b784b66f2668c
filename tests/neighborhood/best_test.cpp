// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scheme that members of a job choose by their estimates, against exact prices of all: over
// graphs, machines, nodes, sizes and contents. UPWASH_TEST_LONG looks at many more cells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"
#include "upwash/neighborhood/relay/plan_all.hpp"
#include "upwash/neighborhood/relay/price_plans.hpp"
#include "upwash/neighborhood/relay/scheme_costs.hpp"
#include "upwash/neighborhood/schemes/scheme_search.hpp"

namespace upwash::neighborhoods {
namespace {

constexpr std::uint64_t block_sizes[] = {4, 16, 48, 64, 128, 256, 512, 1024, 2048, 4096, 16384};

std::vector<std::string> graphs() {
  std::vector<std::string> all{"random:permille=50", "random:permille=200", "random:permille=800",
                               "star", "star:hubs=5"};
  for (int d = 1; d <= 3; ++d) {
    for (int r = 1; r <= 4; ++r) {
      for (const int periodic : {0, 1}) {
        all.push_back(fmt::format("moore:d={},r={},periodic={}", d, r, periodic));
      }
    }
  }
  return all;
}

/// Without what the executor takes, which prices of schedules leave out. `a_node` 0: one node.
machine machine_with(const char* name, int a_node) {
  machine on = load_machine(name);
  if (a_node != 0) on = with_ranks_a_node(on, a_node);
  on.processor.edge.reset();
  on.processor.edge_ns_per_byte.reset();
  return on;
}

struct seen {
  std::string chosen;
  double over_direct;  ///< its price
  double over_best;    ///< that of the least of all schemes
};

/// All schemes on one graph.
class schemes_on {
 public:
  schemes_on(const process_graph& graph, const placement& nodes, const machine& on, contents of)
      : graph_(graph), nodes_(nodes), on_(on), of_(of), reach_(reach_of(graph)) {
    facts_.emplace(facts_of(graph, reach_ ? &*reach_ : nullptr));
    where_ = {reach_.has_value(), nodes.nodes() > 1, nodes.nodes() == 1};
  }

  /// As members of a job do, and against all that might have been chosen.
  [[nodiscard]] seen choose(std::uint64_t bytes) {
    const std::string chosen = found(bytes);
    std::vector<chosen_scheme> all = schemes_worth_a_look(where_);
    if (where_.several_nodes) {
      for (const auto& each : friends_for(*facts_, graph_.ranks())) all.push_back(each);
    }
    double least = price(chosen, bytes);
    for (const auto& each : all) least = std::min(least, price(text_of(each), bytes));
    return {chosen, price(chosen, bytes) / price("direct", bytes), price(chosen, bytes) / least};
  }
  /// What that takes less than direct, by price.
  [[nodiscard]] double gain(std::uint64_t bytes) {
    return price("direct", bytes) / price(found(bytes), bytes);
  }

 private:
  std::string found(std::uint64_t bytes) {
    scheme_search search({where_, *facts_, nodes_, on_}, looked_at[class_of(bytes)]);
    for (auto next = search.next(); !next.empty(); next = search.next()) {
      search.took(estimates(next, looked_at[class_of(bytes)]));
    }
    return text_of(search.found());
  }
  const std::vector<relay_plan>& plans(const std::string& name) {
    auto& made = made_[name];
    if (made.empty()) {
      const chosen_scheme one = scheme_named(name);
      made = plan_all(graph_, nodes_, of_, [&](router& at) { return one.route(at); }).of;
    }
    return made;
  }
  double price(const std::string& name, std::uint64_t bytes) {
    return price_plans(plans(name), bytes, on_).us();
  }
  std::vector<double> estimates(std::span<const chosen_scheme> schemes, std::uint64_t bytes) {
    std::vector<double> all;
    for (const chosen_scheme& each : schemes) {
      const auto& made = plans(text_of(each));
      std::uint64_t rounds = 0;
      for (const relay_plan& plan : made) rounds = std::max(rounds, rounds_of(plan));
      scheme_costs costs(std::span(&rounds, 1), nodes_.nodes());
      for (std::size_t rank = 0; rank < made.size(); ++rank) {
        costs.add(0, laid_out_plan(made[rank], bytes), static_cast<int>(rank), nodes_, on_);
      }
      all.push_back(costs.nanoseconds(0));
    }
    return all;
  }

  const process_graph& graph_;
  const placement& nodes_;
  const machine& on_;
  contents of_;
  std::optional<grid_reach> reach_;
  std::optional<graph_facts> facts_;
  scene where_;
  std::map<std::string, std::vector<relay_plan>> made_;
};

/// How far choices are from the best of all, and from direct.
struct summary {
  int cells = 0;
  double sum = 0;
  double most = 1;
  std::string worst;

  void add(const seen& one, const std::string& where) {
    ++cells;
    sum += one.over_best;
    if (one.over_best > most) {
      most = one.over_best;
      worst = fmt::format("{}, which takes {}", where, one.chosen);
    }
    EXPECT_LE(one.over_direct, 1.02) << where << " takes " << one.chosen;
  }
  void say(std::string_view on) const {
    fmt::print("{}: {} cells, {:.3f} of the best price in the mean, {:.2f} at most ({})\n", on,
               cells, sum / cells, most, worst);
  }
};

struct setting {
  const char* machine;
  int a_node;
};
constexpr setting settings[] = {{"edr", 1}, {"edr", 4}, {"edr", 16}, {"edr", 40}, {"laptop", 0}};

TEST(neighborhood_best, is_never_slower_than_direct) {
  const bool whole = std::getenv("UPWASH_TEST_LONG") != nullptr;
  const int draws = whole ? 12 : 1;
  for (const setting& on : std::span(settings).first(test::sanitized ? 2 : std::size(settings))) {
    const machine costs = machine_with(on.machine, on.a_node);
    summary all;
    random_stream from(7, static_cast<std::uint64_t>(on.a_node));
    for (const std::string& name : graphs()) {
      for (int draw = 0; draw < draws; ++draw) {
        const int ranks = test::sanitized || from.below(8) != 0 ? 64 : whole ? 256 : 144;
        const process_graph graph = graph_of(name, ranks);
        const placement nodes = placement::blocks(ranks, on.a_node == 0 ? ranks : on.a_node);
        const contents of = from.below(2) == 0 ? contents::same_for_all : contents::one_each;
        schemes_on schemes(graph, nodes, costs, of);
        for (int size = 0; size < (test::sanitized ? 1 : 2); ++size) {
          const std::uint64_t bytes = block_sizes[from.below(std::size(block_sizes))];
          all.add(schemes.choose(bytes),
                  fmt::format("{}, {} ranks, {}, {} bytes", name, ranks,
                              of == contents::one_each ? "all-to-all" : "all-gather", bytes));
        }
      }
    }
    all.say(fmt::format("{}, {} ranks a node", on.machine, on.a_node));
    EXPECT_LE(all.sum / all.cells, 1.2) << on.machine << ", " << on.a_node << " ranks a node";
  }
}

TEST(neighborhood_best, gains_what_combining_can_for_small_blocks) {
  struct wanted {
    const char* graph;
    int ranks;
    int a_node;
    double gain;
  };
  constexpr wanted all[] = {{"random:permille=200", 1024, 32, 15},
                            {"random:permille=800", 1024, 32, 40},
                            {"moore:d=2,r=4", 4096, 40, 4}};
  const bool whole = std::getenv("UPWASH_TEST_LONG") != nullptr;
  for (const wanted& on : std::span(all).first(whole ? std::size(all) : 1)) {
    const process_graph graph = graph_of(on.graph, on.ranks);
    const placement nodes = placement::blocks(on.ranks, on.a_node);
    const machine costs = machine_with("edr", on.a_node);
    EXPECT_GE(schemes_on(graph, nodes, costs, contents::same_for_all).gain(4), on.gain) << on.graph;
  }
}

/// Schemes that are planned while one is searched for, beside those that go straight.
std::vector<std::string> planned(const char* graph_name, int ranks, int a_node,
                                 std::uint64_t bytes) {
  const process_graph graph = graph_of(graph_name, ranks);
  const placement nodes = placement::blocks(ranks, a_node);
  const auto reach = reach_of(graph);
  const machine on = machine_with("edr", a_node);
  const graph_facts facts = facts_of(graph, reach ? &*reach : nullptr);
  const auto direct = plan_all(graph, nodes, contents::same_for_all,
                               [](router& at) { return scheme_named("direct").route(at); });
  const std::uint64_t rounds = 1;
  scheme_costs costs(std::span(&rounds, 1), nodes.nodes());
  for (std::size_t rank = 0; rank < direct.of.size(); ++rank) {
    costs.add(0, laid_out_plan(direct.of[rank], bytes), static_cast<int>(rank), nodes, on);
  }
  scheme_search search({{reach.has_value(), true}, facts, nodes, on}, bytes);
  std::vector<std::string> all;
  const double time = costs.nanoseconds(0);
  search.took(std::vector<double>(search.next().size(), time));
  for (auto next = search.next(); !next.empty(); next = search.next()) {
    for (const chosen_scheme& each : next) all.push_back(text_of(each));
    search.took(std::vector<double>(next.size(), time));  // none is better
  }
  return all;
}

TEST(neighborhood_best, plans_nothing_that_cannot_win) {
  EXPECT_TRUE(planned("moore:d=1,r=1,periodic=1", 64, 4, 8).empty()) << "two neighbours";
  EXPECT_TRUE(planned("moore:d=2,r=1,periodic=1", 64, 1, 131072).empty()) << "bytes alone count";
  EXPECT_GE(planned("moore:d=2,r=4,periodic=1", 256, 16, 8).size(), 5U);
}

TEST(neighborhood_best, finds_k_by_degree_and_density) {
  const auto texts = [](const char* graph_name, int ranks) {
    const process_graph graph = graph_of(graph_name, ranks);
    const auto reach = reach_of(graph);
    std::string all;
    for (const auto& each : friends_for(facts_of(graph, reach ? &*reach : nullptr), ranks)) {
      all += text_of(each).substr(0, text_of(each).find(',')) + ' ';
    }
    return all;
  };
  EXPECT_EQ(texts("moore:d=2,r=1", 4096), "friends:k=2 ") << "5 of 8 in common";
  EXPECT_EQ(texts("moore:d=2,r=4", 4096), "friends:k=8 friends:k=4 ") << "71 of 80";
  EXPECT_EQ(texts("random:permille=50", 1024), "friends:k=2 ");
  EXPECT_EQ(texts("random:permille=800", 1024), "friends:k=16 ");
  EXPECT_EQ(texts("random:permille=20", 64), "") << "nothing in common";
}

}  // namespace
}  // namespace upwash::neighborhoods
