// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which scheme to take, with as few plans as can be: those that go straight cost none to make and
// come first; what by a count of rounds and messages cannot beat the best so far is never planned;
// friends, who take longest to find each other, come last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/model/machine.hpp"
#include "upwash/neighborhood/graphs/process_graph.hpp"
#include "upwash/neighborhood/relay/estimate.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {

/// What all ranks know of a graph.
struct graph_facts {
  int most_destinations = 0;  ///< of any rank
  int most_sources = 0;
  double destinations = 0;  ///< in the mean
  const grid_reach* coordinates = nullptr;
};

/// `reach`: reach_of the graph, which outlives this, or null.
[[nodiscard]] graph_facts facts_of(const process_graph& graph, const grid_reach* reach);

/// Where it is used.
struct search_in {
  scene where;
  graph_facts graph;
  const placement& nodes;
  const machine& on;
};

/// What the scheme does at least, whatever its plans are. Rounds in which nobody has anything to do
/// are counted too, so for graphs of few edges it may be more.
[[nodiscard]] least_effort least_effort_of(const chosen_scheme& one, const graph_facts& graph,
                                           const placement& nodes);

/// Friends that may pay on a graph, with k and theta by what ranks have in common: neighbours by
/// the mean degree and the density, or by the overlap of boxes on a grid. k near its root is where
/// equation 7.1 of Ghazimirsaeed 2019 has its least.
[[nodiscard]] std::vector<chosen_scheme> friends_for(const graph_facts& graph, int ranks);

/// Goes on in steps, the same at all ranks where they tell the same times. Refers to what it is
/// given.
class scheme_search {
 public:
  /// `bytes`: of a block; of different lengths the least that all blocks have.
  scheme_search(const search_in& all, std::uint64_t bytes);

  /// Those to be planned and estimated next; empty: the search is over.
  [[nodiscard]] std::span<const chosen_scheme> next();
  /// What these take, in nanoseconds.
  void took(std::span<const double> each);

  /// The scheme to take. Another than direct must be better by more than estimates err.
  [[nodiscard]] const chosen_scheme& found() const noexcept { return found_; }
  [[nodiscard]] double nanoseconds() const noexcept { return found_ns_; }
  [[nodiscard]] double direct_nanoseconds() const noexcept { return direct_ns_; }

 private:
  enum class stage : std::uint8_t { straight, relaying, friends, over };
  [[nodiscard]] bool may_win(const chosen_scheme& one) const;
  [[nodiscard]] double to_beat() const noexcept;

  search_in in_;
  std::uint64_t bytes_;
  stage stage_ = stage::straight;
  std::vector<chosen_scheme> asked_;
  chosen_scheme found_;
  double found_ns_ = 0;
  double direct_ns_ = 0;
};

}  // namespace upwash::neighborhoods
