// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/schedule_neighbors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/eager_sizes.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/neighborhood/graphs/graph_text.hpp"
#include "upwash/neighborhood/relay/plan_all.hpp"
#include "upwash/neighborhood/relay/price_plans.hpp"
#include "upwash/neighborhood/schemes/planned_graph.hpp"

namespace upwash::tools {

using neighborhoods::chosen_scheme;
using neighborhoods::contents;

namespace {

struct row {
  std::string scheme;
  std::string chosen;   ///< of `best`: which it is
  std::uint64_t k = 0;  ///< of friends; else 0
  neighborhoods::traffic_of_plans sends;
  duration build;
  double hyperedges = 0;  ///< groups of friends that a rank could be in, in the mean
  std::optional<duration> takes;
};

struct asked_neighbors {
  process_graph graph;
  model::node_map nodes;
  contents of;
  std::uint64_t bytes;
  std::optional<machine> on;
  std::uint64_t eager_bytes = 0;
  bool node_memory = false;

  [[nodiscard]] neighborhoods::cost_terms costs() const { return {nodes, *on, eager_bytes}; }
};

neighborhoods::scene scene_of(const asked_neighbors& asked) {
  const bool several = asked.nodes.nodes() > 1;
  return {.on_grid = asked.graph.coordinates().has_value(),
          .several_nodes = several,
          .shares_memory = !several,
          .nodes_share_memory = several && asked.node_memory};
}

row row_of(const asked_neighbors& asked, const chosen_scheme& one,
           const neighborhoods::all_plans& plans, duration build) {
  row seen;
  seen.scheme = text_of(one);
  for (std::size_t i = 0; i < one.is->is.parameters.size(); ++i) {
    if (one.is->is.parameters[i].name == "k") seen.k = one.with[i];
  }
  seen.build = build;
  seen.sends = neighborhoods::count(plans.of, asked.nodes);
  seen.hyperedges = static_cast<double>(plans.noted) / asked.graph.ranks();
  if (asked.on) seen.takes = neighborhoods::price_plans(plans.of, asked.bytes, asked.costs());
  return seen;
}

row look_at(const asked_neighbors& asked, const chosen_scheme& one) {
  const duration begin = steady_now();
  const auto plans = neighborhoods::plan_all(
      asked.graph, asked.nodes, asked.of, [&](neighborhoods::router& at) { return one.route(at); },
      hands_over(one, scene_of(asked)));
  return row_of(asked, one, plans, steady_now() - begin);
}

/// What a job would choose; building it is all that is planned and priced for that.
row look_at_best(const asked_neighbors& asked) {
  if (!asked.on) {
    throw error(error_kind::argument,
                "schedule: --scheme best needs --machine: it is the best by price there");
  }
  const duration begin = steady_now();
  neighborhoods::planned_graph plans(asked.graph, asked.nodes, asked.of, scene_of(asked));
  const auto best = plans.best(asked.bytes, asked.costs());
  const duration build = steady_now() - begin;
  row seen = row_of(asked, best.is, plans.by(best.is), build);
  seen.chosen = std::exchange(seen.scheme, "best");
  return seen;
}

void print_json(const row& each) {
  nlohmann::ordered_json out{{"scheme", each.scheme},
                             {"k", each.k},
                             {"hyperedges", each.hyperedges},
                             {"messages_avg", each.sends.messages},
                             {"messages_max", each.sends.most_messages},
                             {"inter_node_avg", each.sends.between_nodes},
                             {"volume_avg", each.sends.volume},
                             {"volume_max", each.sends.most_volume},
                             {"rounds", each.sends.rounds},
                             {"build_ms", each.build.us() / 1e3},
                             {"build_bytes", each.sends.plan_bytes}};
  if (each.takes) out["price_us"] = each.takes->us();
  if (!each.chosen.empty()) out["chosen"] = each.chosen;
  fmt::print("{}\n", out.dump());
}

void print_table(const asked_neighbors& asked, const std::vector<row>& rows) {
  fmt::print("{} ranks on {} nodes, {} edges; messages and blocks that a rank sends\n",
             asked.graph.ranks(), asked.nodes.nodes(), asked.graph.edges());
  fmt::print("{:<36} {:>9} {:>6} {:>9} {:>9} {:>7} {:>6} {:>9} {:>9}{}\n", "scheme", "messages",
             "most", "between", "blocks", "most", "rounds", "build ms", "KiB/rank",
             asked.on ? "   price us" : "");
  for (const row& each : rows) {
    const std::string name =
        each.chosen.empty() ? each.scheme : fmt::format("{}: {}", each.scheme, each.chosen);
    fmt::print("{:<36} {:>9.2f} {:>6} {:>9.2f} {:>9.1f} {:>7} {:>6} {:>9.1f} {:>9.2f}", name,
               each.sends.messages, each.sends.most_messages, each.sends.between_nodes,
               each.sends.volume, each.sends.most_volume, each.sends.rounds, each.build.us() / 1e3,
               static_cast<double>(each.sends.plan_bytes) / 1024.0 / asked.graph.ranks());
    if (each.takes) fmt::print(" {:>10.2f}", each.takes->us());
    fmt::print("\n");
  }
  if (asked.on && !asked.on->processor.copy_ns_per_byte) {
    fmt::print("copies take no time here: {} gives no cost for them\n", asked.on->name);
  }
  if (!asked.on || rows.size() < 2) return;
  const auto best = std::min_element(
      rows.begin(), rows.end(), [](const row& a, const row& b) { return *a.takes < *b.takes; });
  fmt::print("best for {} bytes a block on {}: {}\n", asked.bytes, asked.on->name, best->scheme);
}

}  // namespace

bool is_neighbor_collective(const std::string& name) {
  return name == "neighbor_all_gather" || name == "neighbor_all_to_all";
}

int show_neighbors(const std::string& collective, const neighbor_arguments& given, int ranks,
                   std::uint64_t bytes, const std::string& machine_name, bool json) {
  if (given.graph.empty() || ranks == 0) {
    throw error(error_kind::argument,
                fmt::format("schedule {}: --graph and -n are missing: who sends to whom, as in "
                            "--graph moore:d=2,r=4 -n 4096",
                            collective));
  }
  std::optional<machine> on;
  if (!machine_name.empty()) on = load_machine(machine_name);
  const int a_node = given.ranks_per_node != 0 ? given.ranks_per_node
                     : on                      ? std::min(on->ranks_in(level_kind::node), ranks)
                                               : ranks;
  if (on && given.ranks_per_node != 0) on = with_ranks_a_node(*on, given.ranks_per_node);
  std::uint64_t eager_bytes = given.eager_bytes.value_or(given.eager_limit);
  if (on && !given.eager_bytes) {
    collective::problem part{.ranks = ranks};
    part.eager_limit = given.eager_limit;
    eager_bytes = collective::predictor(*on).eager().usual(part);
  }
  const asked_neighbors asked{
      graph_of(given.graph, ranks),
      model::node_map::in_blocks(ranks, a_node),
      collective == "neighbor_all_gather" ? contents::same_for_all : contents::one_each,
      bytes,
      on,
      eager_bytes,
      given.node_memory};
  std::vector<row> rows;
  if (given.scheme == "best") {
    rows.push_back(look_at_best(asked));
  } else if (!given.scheme.empty()) {
    rows.push_back(look_at(asked, neighborhoods::scheme_named(given.scheme)));
  } else {
    auto schemes = neighborhoods::schemes_worth_a_look(scene_of(asked));
    const auto reach = neighborhoods::reach_of(asked.graph);
    const auto facts = neighborhoods::facts_of(asked.graph, asked.nodes, reach ? &*reach : nullptr);
    // Those that may pay here, and the paper's, which take long to plan and are seldom the best.
    for (const chosen_scheme& each : neighborhoods::friends_for(facts, ranks)) {
      schemes.push_back(each);
    }
    for (const char* each : {"friends:k=2", "friends:k=4", "friends:k=2,cumulative=1"}) {
      schemes.push_back(neighborhoods::scheme_named(each));
    }
    for (const chosen_scheme& each : schemes) rows.push_back(look_at(asked, each));
  }
  if (!json) {
    print_table(asked, rows);
    return 0;
  }
  for (const row& each : rows) print_json(each);
  return 0;
}

}  // namespace upwash::tools
