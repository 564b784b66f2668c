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

/// The best scheme by price is seldom further from the least estimate (neighborhood_best). How long
/// bytes wait for each other at adapters and in memory is estimated less well than rounds are.
constexpr double reach_of_short = 2;
constexpr double reach_of_long = 2.5;
constexpr std::uint64_t most_of_short = 64;
/// Nor do estimates lie further above prices where rounds and messages are what takes time.
constexpr double above_price = 1.25;
/// What is priced has about so many messages at most: half a second.
constexpr std::uint64_t most_messages = 400'000;

double halvings(int parts) {
  return parts <= 1 ? 0 : std::bit_width(static_cast<unsigned>(parts - 1));
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

least_effort least_effort_of(const chosen_scheme& one, const graph_facts& graph,
                             const model::node_map& nodes) {
  const std::string_view name = one.is->is.name;
  const double far = nodes.nodes() > 1 ? 1 : 0;
  const int together = nodes.largest_size();
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
  const auto k = static_cast<double>(one.with[0]);
  return {far, 2 - far, std::ceil(graph.destinations / k), std::ceil(graph.far_destinations / k)};
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
  // Cumulative ones are never ahead of all others in the sweep of neighborhood_best.
  return {scheme_named(fmt::format("friends:k={}{}", k, on_grid ? ",theta=1,aware=0" : ""))};
}

scheme_search::scheme_search(const search_in& all, std::uint64_t bytes) : in_(all), bytes_(bytes) {
  asked_ = schemes_of(stage_);
}

std::vector<chosen_scheme> scheme_search::schemes_of(stage now) const {
  if (now == stage::friends) {
    // They take long to find, and gain little over those that go by nodes.
    if (!in_.where.several_nodes || is_near_cheaper(in_.costs)) return {};
    return friends_for(in_.graph, in_.costs.nodes.ranks());
  }
  std::vector<chosen_scheme> all = schemes_worth_a_look(in_.where);
  std::erase_if(all, [now](const chosen_scheme& each) {
    const bool straight = each.is->facts.straight;
    const bool by_nodes = each.is->route == &node_forward || each.is->route == &node_pairs;
    return now != (straight ? stage::straight : by_nodes ? stage::by_nodes : stage::others);
  });
  return all;
}

bool scheme_search::may_win(const chosen_scheme& one) const {
  const double volume = static_cast<double>(bytes_) * in_.graph.most_sources;
  const least_effort least = least_effort_of(one, in_.graph, in_.costs.nodes);
  return least_time(least, volume, in_.costs) < above_price * least_ns_;
}

std::span<const chosen_scheme> scheme_search::next() {
  while (asked_.empty() && stage_ != stage::over) {
    stage_ = static_cast<stage>(static_cast<int>(stage_) + 1);
    if (stage_ == stage::over) break;
    asked_ = schemes_of(stage_);
    std::erase_if(asked_, [this](const chosen_scheme& each) { return !may_win(each); });
  }
  return asked_;
}

void scheme_search::took(std::span<const estimated_scheme> each) {
  for (std::size_t i = 0; i < each.size(); ++i) {
    least_ns_ = seen_.empty() ? each[i].nanoseconds : std::min(least_ns_, each[i].nanoseconds);
    seen_.push_back({asked_[i], each[i]});
  }
  asked_.clear();
}

std::vector<scheme_search::seen> scheme_search::within_reach() const {
  std::vector<seen> all = seen_;
  const bool are_short = bytes_ != 0 && bytes_ <= most_of_short;
  const double reach = are_short ? reach_of_short : reach_of_long;
  std::erase_if(all, [&](const seen& each) { return each.takes.nanoseconds > reach * least_ns_; });
  std::stable_sort(all.begin(), all.end(), [](const seen& a, const seen& b) {
    return a.takes.nanoseconds < b.takes.nanoseconds;
  });
  std::uint64_t messages = 0;
  std::size_t kept = 0;
  while (kept < all.size() && (messages += all[kept].takes.messages) <= most_messages) ++kept;
  all.resize(std::max<std::size_t>(kept, 1));
  return all;
}

}  // namespace upwash::neighborhoods
