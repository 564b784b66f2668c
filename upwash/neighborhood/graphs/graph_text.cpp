// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/graphs/graph_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace upwash {
namespace {

using model::choice;
using model::parameter;
using model::values;
using edges = std::vector<process_graph::edge>;

constexpr parameter moore_parameters[] = {
    {"d", 1, 8, 2, "dimensions"},
    {"r", 1, 64, 1, "radius"},
    {"periodic", 0, 1, 1, "the dimensions are rings"},
};
constexpr parameter random_parameters[] = {
    {"permille", 0, 1000, 50, "how many of a thousand ranks are neighbours of one, in the mean"},
    {"seed", 0, ~std::uint64_t{0}, 1, "another graph for each"},
};
constexpr parameter hub_parameters[] = {
    {"hubs", 1, 1U << 20U, 1, "ranks that exchange with all others"},
};

constexpr std::array known{
    choice{.name = "moore",
           .parameters = moore_parameters,
           .doc = "all within a distance on a balanced grid",
           .source = "Ghazimirsaeed 2019, 7.6.1"},
    choice{.name = "random",
           .parameters = random_parameters,
           .doc = "each edge with the same probability",
           .source = "Ghazimirsaeed 2019, 7.6.2"},
    choice{.name = "complete",
           .parameters = {},
           .doc = "everybody to everybody else",
           .source = "the definition"},
    choice{.name = "star",
           .parameters = hub_parameters,
           .doc = "the first ranks with everybody else",
           .source = "the definition"},
    choice{.name = "none", .parameters = {}, .doc = "no edge", .source = "the definition"},
};

process_graph star(int ranks, int hubs) {
  edges all;
  for (int hub = 0; hub < std::min(hubs, ranks); ++hub) {
    for (int other = 0; other < ranks; ++other) {
      if (other == hub) continue;
      all.push_back({hub, other});
      if (other >= hubs) all.push_back({other, hub});
    }
  }
  return {ranks, all};
}

}  // namespace

std::span<const choice> known_graphs() noexcept { return known; }

process_graph moore_graph(const grid& on, int radius) {
  edges all;
  for (int rank = 0; rank < on.ranks(); ++rank) {
    for (const int to : on.around(rank, radius)) all.push_back({rank, to});
  }
  return {on.ranks(), all, on};
}

process_graph random_graph(int ranks, double density, std::uint64_t seed) {
  edges all;
  for (int rank = 0; rank < ranks; ++rank) {
    random_stream from(seed, static_cast<std::uint64_t>(rank));
    for (int to = 0; to < ranks; ++to) {
      if (from.fraction() < density && to != rank) all.push_back({rank, to});
    }
  }
  return {ranks, all};
}

process_graph graph_of(std::string_view text, int ranks) {
  const auto [name, rest] = model::split_choice(text);
  const auto* found =
      std::find_if(known.begin(), known.end(),
                   [&, wanted = name](const choice& each) { return each.name == wanted; });
  if (found == known.end()) {
    std::vector<std::string_view> names;
    for (const choice& each : known) names.push_back(each.name);
    throw error(error_kind::argument,
                fmt::format("graph: \"{}\" is not one of {}", name, fmt::join(names, ", ")));
  }
  const values with = model::parse_values(*found, rest);
  if (name == "moore") {
    return moore_graph(grid::balanced(ranks, static_cast<int>(with[0]), with[2] == 1),
                       static_cast<int>(with[1]));
  }
  if (name == "random") {
    return random_graph(ranks, static_cast<double>(with[0]) / 1000.0, with[1]);
  }
  if (name == "complete") return star(ranks, ranks);
  if (name == "star") return star(ranks, static_cast<int>(with[0]));
  return {ranks, {}};
}

}  // namespace upwash
