// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/neighborhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"

namespace upwash {

using neighborhoods::letter;
using neighborhoods::detail::exchange_letters;
using neighborhoods::detail::neighborhood_state;
using neighborhoods::detail::objection_to_weights;

namespace {

/// What travels for an edge without a weight.
constexpr int unweighted = -1;

/// One end of edges.
struct edge_ends {
  std::vector<int> ranks;
  std::vector<int> weights;  ///< `unweighted` where there is none

  void add(int rank, int weight) {
    ranks.push_back(rank);
    weights.push_back(weight);
  }
};

/// By rank; edges to the same one keep their order.
edge_ends sorted(const edge_ends& of) {
  std::vector<std::size_t> order(of.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return of.ranks[a] < of.ranks[b]; });
  edge_ends all;
  for (const std::size_t i : order) all.add(of.ranks[i], of.weights[i]);
  return all;
}

/// None where nobody gave any; else those that are missing are 1.
std::vector<int> settled(std::vector<int> weights) {
  const auto none = [](int weight) { return weight == unweighted; };
  if (std::all_of(weights.begin(), weights.end(), none)) return {};
  std::replace(weights.begin(), weights.end(), unweighted, 1);
  return weights;
}

/// Letters to whom the map says.
std::vector<letter> in_order(std::map<int, letter>&& to) {
  std::vector<letter> all;
  for (auto& [peer, each] : to) all.push_back({peer, std::move(each.words)});
  return all;
}

/// That of edge i, where there is one for each and it is one: else who names it refuses.
int weight_of(std::span<const int> weights, std::size_t edges, std::size_t i) {
  return weights.size() == edges ? std::max(weights[i], unweighted) : unweighted;
}

/// Who names this rank; each as often as it does.
edge_ends who_names_me(const team& among, std::span<const int> named,
                       std::span<const int> weights) {
  std::map<int, letter> going;
  for (std::size_t i = 0; i < named.size(); ++i) {
    // A rank outside the team is refused where the neighborhood is made.
    if (named[i] < 0 || named[i] >= among.size()) continue;
    going[named[i]].words.push_back(weight_of(weights, named.size(), i));
  }
  edge_ends all;
  for (const letter& each : exchange_letters(among, in_order(std::move(going)))) {
    for (const std::int32_t weight : each.words) all.add(each.peer, weight);
  }
  return all;
}

}  // namespace

neighborhood::neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on,
                           const neighborhood_options& how)
    : state_(std::make_shared<neighborhood_state>(among, mine, on, how, std::string())) {}

neighborhood::neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on,
                           std::string objection)
    : state_(std::make_shared<neighborhood_state>(among, mine, on, neighborhood_options{},
                                                  std::move(objection))) {}

neighborhood neighborhood::to(const team& among, std::span<const int> destinations,
                              std::span<const int> weights) {
  edge_ends sources = who_names_me(among, destinations, weights);
  const std::vector<int> source_weights = settled(std::move(sources.weights));
  return {among, {sources.ranks, destinations, source_weights, weights}};
}

neighborhood neighborhood::from(const team& among, std::span<const int> sources,
                                std::span<const int> weights) {
  edge_ends destinations = who_names_me(among, sources, weights);
  const std::vector<int> destination_weights = settled(std::move(destinations.weights));
  return {among, {sources, destinations.ranks, weights, destination_weights}};
}

neighborhood neighborhood::of_edges(const team& among, std::span<const edge> edges,
                                    std::span<const int> weights) {
  std::map<int, letter> going;
  std::string wrong = objection_to_weights("edges", edges.size(), weights);
  const auto outside = [&](int rank) { return rank < 0 || rank >= among.size(); };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const edge& each = edges[i];
    if (outside(each.from) || outside(each.to)) {
      wrong = fmt::format("the edge from {} to {} leaves the team of {} ranks", each.from, each.to,
                          among.size());
      continue;
    }
    const auto words = {each.from, each.to, weight_of(weights, edges.size(), i)};
    auto& to_source = going[each.from].words;
    to_source.insert(to_source.end(), words);
    if (each.to == each.from) continue;
    auto& to_destination = going[each.to].words;
    to_destination.insert(to_destination.end(), words);
  }
  edge_ends sources;
  edge_ends destinations;
  for (const letter& each : exchange_letters(among, in_order(std::move(going)))) {
    for (std::size_t i = 0; i < each.words.size(); i += 3) {
      const int weight = each.words[i + 2];
      if (each.words[i] == among.rank()) destinations.add(each.words[i + 1], weight);
      if (each.words[i + 1] == among.rank()) sources.add(each.words[i], weight);
    }
  }
  sources = sorted(sources);
  destinations = sorted(destinations);
  const std::vector<int> to_here = settled(std::move(sources.weights));
  const std::vector<int> from_here = settled(std::move(destinations.weights));
  return {among, {sources.ranks, destinations.ranks, to_here, from_here}, {}, std::move(wrong)};
}

neighborhood neighborhood::cartesian(const team& among, const grid& on) {
  std::vector<int> all;
  for (int i = 0; i < on.dimensions() && on.ranks() == among.size(); ++i) {
    for (const int by : {-1, 1}) {
      if (const int next = on.shifted(among.rank(), i, by); next >= 0) all.push_back(next);
    }
  }
  return {among, {all, all}, on};
}

neighborhood neighborhood::moore(const team& among, const grid& on, int radius) {
  if (on.ranks() != among.size()) return {among, {}, on};  // is refused
  std::vector<int> all;
  std::string wrong;
  try {
    all = on.around(among.rank(), radius);
  } catch (const error& refused) {
    wrong = refused.what();
  }
  return {among, {all, all}, on, std::move(wrong)};
}

void neighborhood::refuse() {
  const int rank = process::current_rank();
  throw error(error_kind::argument,
              fmt::format("{}a neighborhood is used that was moved from: use what it was moved to",
                          rank < 0 ? std::string() : fmt::format("rank {}: ", rank)));
}

const team& neighborhood::among() const { return state().among(); }
std::span<const int> neighborhood::sources() const { return state().sources(); }
std::span<const int> neighborhood::destinations() const { return state().destinations(); }
std::span<const int> neighborhood::source_weights() const { return state().source_weights(); }
std::span<const int> neighborhood::destination_weights() const {
  return state().destination_weights();
}

}  // namespace upwash
