// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses a scheme with few plans. Direct schemes need no plan and come first. A scheme that cannot
// beat the best so far, by its rounds and messages, is never planned. Friends come last, because
// they take longest to find each other. Schemes with close estimates are priced.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"
#include "upwash/neighborhood/schemes/graph_facts.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {

/// The surroundings of a search.
struct search_in {
  scene where;
  graph_facts graph;
  cost_terms costs;
};

/// Returns the least work of a scheme, for all its possible plans. Rounds without work are counted
/// too, so the value may be too large for graphs of few edges.
[[nodiscard]] least_effort least_effort_of(const chosen_scheme& one, const graph_facts& graph,
                                           const model::node_map& nodes);

/// Returns friends schemes that may pay on a graph. k and theta depend on the ranks' common
/// neighbors: estimated from mean degree and density, or from overlapping boxes on a grid. k lies
/// near its root, the minimum of equation 7.1 of Ghazimirsaeed 2019.
[[nodiscard]] std::vector<chosen_scheme> friends_for(const graph_facts& graph, int ranks);

/// The estimate of one scheme, from all ranks.
struct estimated_scheme {
  double nanoseconds = 0;
  std::uint64_t messages = 0;  ///< of all ranks, at both ends: the cost of a price
};

/// Proceeds in steps, the same at all ranks if they pass the same times. Holds references to its
/// arguments.
class scheme_search {
 public:
  /// `bytes`: of a block; for different lengths the least of all blocks.
  scheme_search(const search_in& all, std::uint64_t bytes);

  /// Returns the schemes to plan and estimate next; empty: the search is over.
  [[nodiscard]] std::span<const chosen_scheme> next();
  void took(std::span<const estimated_scheme> each);

  struct seen {
    chosen_scheme is;
    estimated_scheme takes;
  };
  /// Returns afterwards the schemes that may be the best, by rising estimates. If there are
  /// several, they must be priced.
  [[nodiscard]] std::vector<seen> within_reach() const;

 private:
  enum class stage : std::uint8_t { straight, by_nodes, others, friends, over };
  [[nodiscard]] std::vector<chosen_scheme> schemes_of(stage now) const;
  [[nodiscard]] bool may_win(const chosen_scheme& one) const;

  search_in in_;
  std::uint64_t bytes_;
  stage stage_ = stage::straight;
  std::vector<chosen_scheme> asked_;
  std::vector<seen> seen_;
  double least_ns_ = 0;
};

}  // namespace upwash::neighborhoods
