// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/planned_graph.hpp"

#include <algorithm>

#include "upwash/neighborhood/relay/price_plans.hpp"
#include "upwash/neighborhood/relay/scheme_costs.hpp"

namespace upwash::neighborhoods {

planned_graph::planned_graph(const process_graph& graph, const model::node_map& nodes, contents of,
                             const scene& where)
    : graph_(graph), nodes_(nodes), of_(of), where_(where), reach_(reach_of(graph)) {
  facts_ = facts_of(graph, nodes, reach_ ? &*reach_ : nullptr);
}

const all_plans& planned_graph::by(const chosen_scheme& one) {
  const auto [at, is_new] = made_.try_emplace(text_of(one));
  if (is_new) {
    at->second = plan_all(
        graph_, nodes_, of_, [&](router& rank) { return one.route(rank); },
        hands_over(one, where_));
  }
  return at->second;
}

estimated_scheme planned_graph::estimate_of(const chosen_scheme& one, std::uint64_t bytes,
                                            const cost_terms& in) {
  const std::vector<relay_plan>& plans = by(one).of;
  std::uint64_t rounds = 0;
  for (const relay_plan& each : plans) {
    rounds = std::max<std::uint64_t>(rounds, rounds_of(each));
  }
  scheme_costs costs(std::span(&rounds, 1), nodes_.nodes());
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    costs.add(0, laid_out_plan(plans[rank], bytes, scratch_of_node), static_cast<int>(rank), in);
  }
  return {costs.nanoseconds(0), costs.messages(0)};
}

planned_graph::choice planned_graph::best(std::uint64_t bytes, const cost_terms& in) {
  choice found;
  const std::uint64_t counted = looked_at[class_of(bytes)];
  scheme_search search({where_, facts_, in}, counted);
  for (auto next = search.next(); !next.empty(); next = search.next()) {
    std::vector<estimated_scheme> takes;
    for (const chosen_scheme& each : next) {
      found.planned.push_back(text_of(each));
      takes.push_back(estimate_of(each, counted, in));
    }
    search.took(takes);
  }
  const auto within = search.within_reach();
  found.is = within.front().is;
  if (within.size() == 1) return found;
  duration least = duration::max();
  for (const auto& each : within) {
    found.priced.push_back(text_of(each.is));
    const duration takes = price_plans(by(each.is).of, counted, in);
    if (takes < least) found.is = each.is;
    least = std::min(least, takes);
  }
  return found;
}

}  // namespace upwash::neighborhoods
