// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/neighborhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/process.hpp"
#include "upwash/neighborhood/detail/neighborhood_state.hpp"

namespace upwash {

using neighborhoods::letter;
using neighborhoods::detail::exchange_letters;
using neighborhoods::detail::neighborhood_state;

namespace {

/// Who names this rank; each as often as it does.
std::vector<int> who_names_me(const team& among, std::span<const int> named) {
  std::vector<letter> going;
  std::vector<int> sorted(named.begin(), named.end());
  std::sort(sorted.begin(), sorted.end());
  for (const int each : sorted) {
    // A rank outside the team is refused where the neighborhood is made.
    if (each < 0 || each >= among.size()) continue;
    if (going.empty() || going.back().peer != each) going.push_back({each, {0}});
    ++going.back().words[0];
  }
  std::vector<int> all;
  for (const letter& each : exchange_letters(among, std::move(going))) {
    all.insert(all.end(), static_cast<std::size_t>(each.words[0]), each.peer);
  }
  return all;
}

}  // namespace

neighborhood::neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on)
    : neighborhood(among, mine, on, {}) {}

neighborhood::neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on,
                           std::string objection)
    : state_(std::make_shared<neighborhood_state>(among, mine, on, std::move(objection))) {}

neighborhood neighborhood::to(const team& among, std::span<const int> destinations) {
  const std::vector<int> sources = who_names_me(among, destinations);
  return {among, {sources, destinations}};
}

neighborhood neighborhood::from(const team& among, std::span<const int> sources) {
  const std::vector<int> destinations = who_names_me(among, sources);
  return {among, {sources, destinations}};
}

neighborhood neighborhood::of_edges(const team& among, std::span<const edge> edges) {
  std::vector<letter> going;
  const auto tell = [&](int rank, int from, int to) {
    auto found = std::find_if(going.begin(), going.end(),
                              [&](const letter& each) { return each.peer == rank; });
    if (found == going.end()) found = going.insert(going.end(), {rank, {}});
    found->words.insert(found->words.end(), {from, to});
  };
  std::vector<int> sources;
  std::vector<int> destinations;
  std::string wrong;
  const auto outside = [&](int rank) { return rank < 0 || rank >= among.size(); };
  for (const edge& each : edges) {
    if (outside(each.from) || outside(each.to)) {
      wrong = fmt::format("the edge from {} to {} leaves the team of {} ranks", each.from, each.to,
                          among.size());
      continue;
    }
    tell(each.from, each.from, each.to);
    if (each.to != each.from) tell(each.to, each.from, each.to);
  }
  for (const letter& each : exchange_letters(among, std::move(going))) {
    for (std::size_t i = 0; i < each.words.size(); i += 2) {
      if (each.words[i] == among.rank()) destinations.push_back(each.words[i + 1]);
      if (each.words[i + 1] == among.rank()) sources.push_back(each.words[i]);
    }
  }
  std::sort(sources.begin(), sources.end());
  std::sort(destinations.begin(), destinations.end());
  return {among, {sources, destinations}, {}, std::move(wrong)};
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

}  // namespace upwash
