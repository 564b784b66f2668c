// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scheme that members of a job choose by their estimates, against exact prices of all: over
// graphs, machines, nodes, sizes and contents. UPWASH_TEST_LONG looks at many more cells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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
#include "upwash/neighborhood/schemes/schemes.hpp"

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
      : schemes_(schemes_worth_a_look(
            {graph.coordinates().has_value(), nodes.nodes() > 1, nodes.nodes() == 1})),
        on_(on) {
    std::vector<std::uint64_t> rounds;
    for (const chosen_scheme& each : schemes_) {
      made_.push_back(plan_all(graph, nodes, of, [&](router& at) { return each.route(at); }).of);
      std::size_t most = 0;
      for (const relay_plan& plan : made_.back()) most = std::max(most, rounds_of(plan));
      rounds.push_back(most);
    }
    costs_.emplace(rounds, nodes.nodes());
    for (std::size_t i = 0; i < schemes_.size(); ++i) {
      for (int rank = 0; rank < graph.ranks(); ++rank) {
        costs_->add(i, made_[i][static_cast<std::size_t>(rank)], rank, nodes, on);
      }
    }
  }

  [[nodiscard]] seen choose(std::uint64_t bytes) const {
    std::vector<double> prices;
    for (const auto& plans : made_) prices.push_back(price_plans(plans, bytes, on_).us());
    const std::size_t chosen = costs_->best(class_of(bytes));
    return {text_of(schemes_[chosen]), prices[chosen] / prices[0],
            prices[chosen] / *std::ranges::min_element(prices)};
  }

 private:
  std::vector<chosen_scheme> schemes_;
  const machine& on_;
  std::vector<std::vector<relay_plan>> made_;
  std::optional<scheme_costs> costs_;
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
        const schemes_on schemes(graph, nodes, costs, of);
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

}  // namespace
}  // namespace upwash::neighborhoods
