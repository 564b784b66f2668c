// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a neighborhood at one rank: neighbors, nodes, plans, calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "upwash/core/team.hpp"
#include "upwash/neighborhood/detail/choose_scheme.hpp"
#include "upwash/neighborhood/graphs/grid.hpp"
#include "upwash/neighborhood/neighbor_call.hpp"
#include "upwash/neighborhood/relay/router.hpp"
#include "upwash/neighborhood/relay_family.hpp"
#include "upwash/neighborhood/schemes/scheme_search.hpp"

namespace upwash::neighborhoods::detail {

class neighborhood_state {
 public:
  /// Checks that both ends name all edges, and that the grid is the same. All members refuse if one
  /// does. `objection`: the reason for which this one refuses already, or empty. Collective,
  /// blocking.
  neighborhood_state(const team& among, const neighbors& mine, const std::optional<grid>& on,
                     const neighborhood_options& how, std::string objection);

  [[nodiscard]] const team& among() const noexcept { return among_; }
  [[nodiscard]] const std::vector<int>& sources() const noexcept { return sources_; }
  [[nodiscard]] const std::vector<int>& destinations() const noexcept { return destinations_; }

  [[nodiscard]] const std::vector<int>& source_weights() const noexcept { return source_weights_; }
  [[nodiscard]] const std::vector<int>& destination_weights() const noexcept {
    return destination_weights_;
  }

  [[nodiscard]] const model::node_map& nodes() const noexcept { return nodes_; }
  [[nodiscard]] scene where() const;
  /// Return the maximum over all members.
  [[nodiscard]] int most_destinations() const noexcept { return most_destinations_; }
  [[nodiscard]] int most_sources() const noexcept { return most_sources_; }

  /// Returns the facts that all members know of the graph. The first call is collective and
  /// blocking.
  [[nodiscard]] const graph_facts& facts();

  /// Returns the plan of `scheme`; for `best`, of the scheme chosen for blocks of `bytes` bytes.
  /// The first call of a class of sizes chooses, collectively and blocking.
  [[nodiscard]] std::shared_ptr<const relay_plan> plan_of(std::string_view scheme, contents of,
                                                          std::uint64_t bytes);
  /// Returns the plan of a scheme. The first call makes it, collectively and blocking.
  [[nodiscard]] std::shared_ptr<const relay_plan> plan_of(std::string_view scheme, contents of);
  /// Returns a call with equal blocks for that plan, or for messages only. The last few lengths are
  /// kept.
  [[nodiscard]] std::shared_ptr<relay_call> call_of(const std::shared_ptr<const relay_plan>& plan,
                                                    std::uint64_t bytes, bool by_messages);

 private:
  [[nodiscard]] std::string objection_to_ranks() const;
  [[nodiscard]] std::string objection_to_weights() const;
  [[nodiscard]] std::string objection_to_edges() const;
  [[nodiscard]] std::string objection_to_grid(const std::optional<grid>& on) const;
  void share_inside_nodes(relay_plan& made);
  void check_neighbors(const std::optional<grid>& on, std::string wrong);

  team among_;
  neighborhood_options how_;
  std::vector<int> sources_;
  std::vector<int> destinations_;
  std::vector<letter> edges_here_;  ///< by source: the index of this rank among its destinations
  std::vector<int> source_weights_;
  std::vector<int> destination_weights_;
  model::node_map nodes_;
  std::uint64_t node_scratch_ = 0;  ///< for an operation with a plan that passes blocks on inside
                                    ///< nodes
  int most_destinations_ = 0;
  int most_sources_ = 0;
  std::optional<grid_reach> reach_;
  std::map<std::pair<std::string, contents>, std::shared_ptr<const relay_plan>> plans_;
  std::map<std::pair<contents, std::size_t>, std::string> best_;  ///< by class of sizes
  neighbor_counts counts_;
  graph_facts facts_;
  bool knows_means_ = false;  ///< those of the facts
  static constexpr std::size_t most_calls = 8;
  struct kept_call {
    const relay_plan* plan;
    std::uint64_t bytes;
    bool inside_nodes;
    std::shared_ptr<relay_call> call;
  };
  std::vector<kept_call> calls_;  ///< the latest first
};

/// Returns the defect of the weights of `edges` edges; empty if there is none.
[[nodiscard]] std::string objection_to_weights(const char* of, std::size_t edges,
                                               std::span<const int> weights);

/// Makes a plan together with the other members, which exchange messages in each round of the
/// scheme.
[[nodiscard]] relay_plan plan_together(const team& among, router& at, routing goes, agree_by by);

/// The same for a scheme of one round that sends blocks directly to their destinations, so that the
/// received blocks are known. `edges_here`: by source, the index of this rank among its
/// destinations. Local.
[[nodiscard]] relay_plan plan_straight(router& at, routing goes,
                                       std::span<const letter> edges_here);

/// Delivers the messages to their members, sorted by sender. Collective, blocking.
[[nodiscard]] std::vector<letter> exchange_letters(const team& among, std::vector<letter>&& going);

}  // namespace upwash::neighborhoods::detail
