// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The facts of a graph that all ranks know before a plan is made; they decide which schemes are
// planned.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/model/node_map.hpp"
#include "upwash/neighborhood/graphs/process_graph.hpp"
#include "upwash/neighborhood/relay/router.hpp"

namespace upwash::neighborhoods {

/// Counts of one rank: other ranks, each counted once.
struct neighbor_counts {
  std::uint64_t destinations = 0;
  std::uint64_t sources = 0;
  std::uint64_t far_destinations = 0;  ///< on other nodes
};
[[nodiscard]] neighbor_counts counts_of(int rank, std::span<const int> destinations,
                                        std::span<const int> sources, const model::node_map& nodes);

/// The counts of all ranks combined.
struct graph_facts {
  int most_destinations = 0;  ///< of any rank
  int most_sources = 0;
  double destinations = 0;      ///< mean
  double far_destinations = 0;  ///< mean
  const grid_reach* coordinates = nullptr;
};
/// `reach`: reach_of the graph, which outlives the result, or null.
[[nodiscard]] graph_facts facts_of(const process_graph& graph, const model::node_map& nodes,
                                   const grid_reach* reach);

}  // namespace upwash::neighborhoods
