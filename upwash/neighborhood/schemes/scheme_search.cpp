// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/scheme_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

namespace upwash::neighborhoods {
namespace {

/// The sweep of neighborhood_best shows no graph on which direct is left wrongly at this gain.
constexpr double enough_gain = 0.75;

double halvings(int parts) {
  return parts <= 1 ? 0 : std::bit_width(static_cast<unsigned>(parts - 1));
}

int most_ranks_of_a_node(const placement& nodes) {
  std::size_t most = 1;
  for (int node = 0; node < nodes.nodes(); ++node) {
    most = std::max(most, nodes.ranks_of(node).size());
  }
  return static_cast<int>(most);
}

/// Neighbours that two ranks who may be friends have in common.
double in_common(const graph_facts& graph, int ranks) {
  if (graph.coordinates == nullptr) return graph.destinations * graph.destinations / ranks;
  double overlap = graph.destinations;  // of the boxes of two that lie side by side
  double widest = 1;
  for (const auto& each : graph.coordinates->along) {
    widest = std::max(widest, static_cast<double>(each.most - each.least + 1));
  }
  overlap *= 1 - 1 / widest;
  return overlap;
}

}  // namespace

graph_facts facts_of(const process_graph& graph, const grid_reach* reach) {
  graph_facts all{.destinations = static_cast<double>(graph.edges()) / graph.ranks(),
                  .coordinates = reach};
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    all.most_destinations =
        std::max(all.most_destinations, static_cast<int>(graph.destinations(rank).size()));
    all.most_sources = std::max(all.most_sources, static_cast<int>(graph.sources(rank).size()));
  }
  return all;
}

least_effort least_effort_of(const chosen_scheme& one, const graph_facts& graph,
                             const placement& nodes) {
  const std::string_view name = one.is->is.name;
  const double far = nodes.nodes() > 1 ? 1 : 0;
  const int together = most_ranks_of_a_node(nodes);
  const double most = graph.most_destinations;
  if (name == "node_forward") return {far, 0, std::ceil(most / together)};
  if (name == "node_pairs") return {far, together > 1 ? 2.0 : 0.0, far};
  if (name == "halving" && one.with[0] == 0) {
    const double rounds = halvings(nodes.nodes());
    return {rounds, together > 1 ? 1.0 : 0.0, rounds};
  }
  if (name == "halving") {
    const double all = halvings(nodes.ranks());
    const double outer = halvings(nodes.nodes());
    return {outer, all - outer, all};
  }
  if (name == "doubling") {
    const double steps = steps_of_doubling(*graph.coordinates);
    const double outer = std::min(far, steps);
    return {outer, steps - outer, steps};
  }
  if (one.is->facts.straight) return {far, 1 - far, most};
  // Friends: each of their common neighbours gets a message of one of them.
  return {far, 2 - far, std::ceil(graph.destinations / static_cast<double>(one.with[0]))};
}

std::vector<chosen_scheme> friends_for(const graph_facts& graph, int ranks) {
  constexpr int sizes[] = {2, 3, 4, 6, 8, 16};
  const double common = in_common(graph, ranks);
  const bool on_grid = graph.coordinates != nullptr;
  int k = 0;
  for (const int each : sizes) {
    const bool nearer = k == 0 || std::abs(each * each - common) < std::abs(k * k - common);
    if (common > each && nearer) k = each;  // equation 7.6
  }
  if (k == 0) return {};
  if (!on_grid) return {scheme_named(fmt::format("friends:k={}", k))};
  std::vector<chosen_scheme> all{scheme_named(fmt::format("friends:k={},theta=1,aware=0", k))};
  if (k >= 4) {
    all.push_back(scheme_named(fmt::format("friends:k={},aware=0,cumulative=1", k / 2)));
  }
  return all;
}

scheme_search::scheme_search(const search_in& all, std::uint64_t bytes)
    : in_(all), bytes_(bytes), found_(scheme_named("direct")) {
  asked_.push_back(found_);
  const chosen_scheme shared = scheme_named("shared");
  if (in_.where.shares_memory || in_.where.nodes_share_memory) asked_.push_back(shared);
}

/// Another than direct must be better by more than estimates err.
double scheme_search::to_beat() const noexcept {
  return found_ns_ * (found_.is->facts.only_messages ? enough_gain : 1);
}

bool scheme_search::may_win(const chosen_scheme& one) const {
  const double volume = static_cast<double>(bytes_) * in_.graph.most_sources;
  const least_effort least = least_effort_of(one, in_.graph, in_.nodes);
  return least_time(least, volume, in_.nodes, in_.on) < to_beat();
}

std::span<const chosen_scheme> scheme_search::next() {
  if (stage_ == stage::straight) return asked_;
  while (asked_.empty() && stage_ != stage::over) {
    if (stage_ == stage::relaying) {
      for (const chosen_scheme& each : schemes_worth_a_look(in_.where)) {
        if (!each.is->facts.straight && may_win(each)) asked_.push_back(each);
      }
    } else if (in_.where.several_nodes) {
      for (const chosen_scheme& each : friends_for(in_.graph, in_.nodes.ranks())) {
        if (may_win(each)) asked_.push_back(each);
      }
    }
    if (asked_.empty()) stage_ = stage_ == stage::relaying ? stage::friends : stage::over;
  }
  return asked_;
}

void scheme_search::took(std::span<const double> each) {
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (asked_[i].is->facts.only_messages) {
      direct_ns_ = found_ns_ = each[i];
    } else if (each[i] < to_beat()) {
      found_ = asked_[i];
      found_ns_ = each[i];
    }
  }
  asked_.clear();
  stage_ = stage_ == stage::straight   ? stage::relaying
           : stage_ == stage::relaying ? stage::friends
                                       : stage::over;
}

}  // namespace upwash::neighborhoods
