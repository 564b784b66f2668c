// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs that hurt: directed, with hubs, self loops, edges twice, ranks without any, and nodes of
// different sizes. Drawn from a seed, the same wherever it is drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/neighborhood/graphs/process_graph.hpp"

namespace upwash::test {

inline process_graph drawn_graph(int ranks, std::uint64_t seed) {
  random_stream from(seed, 0x6e626873);
  std::vector<process_graph::edge> edges;
  const auto any = [&] { return static_cast<int>(from.below(static_cast<std::uint64_t>(ranks))); };
  const double density = from.fraction() * from.fraction();
  const std::uint64_t isolated = from.below(3) == 0 ? 1 + from.below(3) : 0;
  const auto alone = [&](int rank) { return static_cast<std::uint64_t>(rank) < isolated; };
  for (int rank = 0; rank < ranks; ++rank) {
    for (int to = 0; to < ranks; ++to) {
      if (from.fraction() < density && !alone(rank) && !alone(to)) edges.push_back({rank, to});
    }
  }
  for (std::uint64_t hubs = from.below(3); hubs > 0; --hubs) {
    const int hub = any();
    for (int other = 0; other < ranks; ++other) {
      edges.push_back(from.below(2) == 0 ? process_graph::edge{hub, other}
                                         : process_graph::edge{other, hub});
    }
  }
  for (std::uint64_t again = from.below(4); again > 0 && !edges.empty(); --again) {
    edges.push_back(edges[from.below(edges.size())]);
  }
  // A rank's destinations are in no order.
  for (std::size_t i = edges.size(); i > 1; --i) std::swap(edges[i - 1], edges[from.below(i)]);
  return {ranks, edges};
}

/// Which node each rank is on: consecutive ranks or not, one rank a node or many.
inline std::vector<int> drawn_nodes(int ranks, std::uint64_t seed) {
  random_stream from(seed, 0x6e6f6465);
  const auto nodes = 1 + from.below(static_cast<std::uint64_t>(ranks));
  const bool in_order = from.below(2) == 0;
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(static_cast<int>(from.below(nodes)));
  if (in_order) std::sort(all.begin(), all.end());
  return all;
}

}  // namespace upwash::test
