// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/graph_facts.hpp"

#include <algorithm>
#include <vector>

namespace upwash::neighborhoods {
namespace {

std::vector<int> others(int rank, std::span<const int> neighbors) {
  std::vector<int> all(neighbors.begin(), neighbors.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase(all, rank);
  return all;
}

}  // namespace

neighbor_counts counts_of(int rank, std::span<const int> destinations, std::span<const int> sources,
                          const model::node_map& nodes) {
  const std::vector<int> to = others(rank, destinations);
  const auto far =
      std::count_if(to.begin(), to.end(), [&](int each) { return !nodes.together(rank, each); });
  return {to.size(), others(rank, sources).size(), static_cast<std::uint64_t>(far)};
}

graph_facts facts_of(const process_graph& graph, const model::node_map& nodes,
                     const grid_reach* reach) {
  graph_facts all{.coordinates = reach};
  for (int rank = 0; rank < graph.ranks(); ++rank) {
    const neighbor_counts one =
        counts_of(rank, graph.destinations(rank), graph.sources(rank), nodes);
    all.most_destinations = std::max(all.most_destinations, static_cast<int>(one.destinations));
    all.most_sources = std::max(all.most_sources, static_cast<int>(one.sources));
    all.destinations += static_cast<double>(one.destinations);
    all.far_destinations += static_cast<double>(one.far_destinations);
  }
  all.destinations /= graph.ranks();
  all.far_destinations /= graph.ranks();
  return all;
}

}  // namespace upwash::neighborhoods
