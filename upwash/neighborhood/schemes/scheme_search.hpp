// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which scheme to take, with as few plans as can be: those that go straight cost none to make and
// come first; what by a count of rounds and messages cannot beat the best so far is never planned;
// friends, who take longest to find each other, come last. Those whose estimates are near each
// other are priced.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/relay/cost_terms.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"
#include "upwash/neighborhood/schemes/graph_facts.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {

/// Where it is used.
struct search_in {
  scene where;
  graph_facts graph;
  cost_terms costs;
};

/// What the scheme does at least, whatever its plans are. Rounds in which nobody has anything to do
/// are counted too, so for graphs of few edges it may be more.
[[nodiscard]] least_effort least_effort_of(const chosen_scheme& one, const graph_facts& graph,
                                           const model::node_map& nodes);

/// Friends that may pay on a graph, with k and theta by what ranks have in common: neighbours by
/// the mean degree and the density, or by the overlap of boxes on a grid. k near its root is where
/// equation 7.1 of Ghazimirsaeed 2019 has its least.
[[nodiscard]] std::vector<chosen_scheme> friends_for(const graph_facts& graph, int ranks);

/// Of one scheme, by the estimates of all ranks.
struct estimated_scheme {
  double nanoseconds = 0;
  std::uint64_t messages = 0;  ///< of all ranks, at both ends: what a price takes to find
};

/// Goes on in steps, the same at all ranks where they tell the same times. Refers to what it is
/// given.
class scheme_search {
 public:
  /// `bytes`: of a block; of different lengths the least that all blocks have.
  scheme_search(const search_in& all, std::uint64_t bytes);

  /// Those to be planned and estimated next; empty: there are no more.
  [[nodiscard]] std::span<const chosen_scheme> next();
  void took(std::span<const estimated_scheme> each);

  struct seen {
    chosen_scheme is;
    estimated_scheme takes;
  };
  /// Then: those of which one is the best, by rising estimates; of several the prices are wanted.
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
