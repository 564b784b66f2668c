// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighborhoods: each rank exchanges data with a few ranks only. Describes the edges of the
// collectives in neighbor_all_gather.hpp and neighbor_all_to_all.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upwash/core/team.hpp"
#include "upwash/neighborhood/graphs/grid.hpp"

namespace upwash {

namespace neighborhoods::detail {
class neighborhood_state;
}

/// The ranks of a team that a member receives blocks from and sends blocks to. Ranks may repeat,
/// and a member may be its own neighbor.
struct neighbors {
  std::span<const int> sources;
  std::span<const int> destinations;
  /// Weight of each edge, or none; at least 0. Kept for the program's own use, as MPI's graphs keep
  /// them. No scheme uses them, and the two ends of an edge may give different weights.
  std::span<const int> source_weights{};
  std::span<const int> destination_weights{};
};

/// The way in which members exchange facts for plans: the sources of blocks, the leaders, the pairs
/// of friends.
enum class agree_by : std::uint8_t {
  messages,  ///< messages of a sparse exchange
  puts,      ///< puts into mailboxes, with room reserved by atomic additions
};

/// Options of a neighborhood. They must be the same at all members; otherwise all refuse.
struct neighborhood_options {
  agree_by plans_by = agree_by::messages;
};

/// A process graph on a team, as one member sees it. Copies are cheap handles. The neighborhood
/// keeps the plans by which blocks travel, so only the first call with a scheme plans. All members
/// make neighborhoods in the same order, and use them while the team exists. Memory at a rank:
/// O(team) words for the members' nodes, and for each plan a word for each block that the rank
/// sends, receives or forwards.
///
/// @code
/// const upwash::grid ring({world.size()}, {true});
/// const auto neighbors = upwash::neighborhood::cartesian(world, ring);
/// const std::vector<double> mine(4, world.rank());
/// std::vector<double> all(4 * neighbors.sources().size());
/// upwash::neighbor_all_gather(neighbors, upwash::blocking, mine, all);
/// @endcode
class neighborhood {
 public:
  /// Makes a neighborhood in which every member names its own edges at both ends. Blocks have the
  /// order given here. `on`: the ranks form this grid, which lets blocks travel along its
  /// dimensions. Collective, blocking. Cost: one message for each distinct destination, and a
  /// reduction.
  ///
  /// Throws `error` (argument) at all members for ranks outside the team, for edges that one end
  /// does not name (with both ranks), for a grid of a different size, for members with different
  /// grids, for negative weights, and for a number of weights that differs from the number of
  /// edges.
  neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on = {},
               const neighborhood_options& how = {});

  /// Makes a neighborhood in which members name only the destinations. The sources are found and
  /// sorted by rank. Otherwise as the constructor. An edge has the same weight at both ends.
  [[nodiscard]] static neighborhood to(const team& among, std::span<const int> destinations,
                                       std::span<const int> weights = {});
  /// Makes a neighborhood in which members name only the sources. The destinations are found and
  /// sorted by rank.
  [[nodiscard]] static neighborhood from(const team& among, std::span<const int> sources,
                                         std::span<const int> weights = {});
  /// An edge that any member may name, between any two members, as in MPI_Dist_graph_create.
  /// Neighbors are sorted by rank. An edge that leaves the team is refused at all members.
  struct edge {
    int from = 0;
    int to = 0;
  };
  /// Makes a neighborhood of edges that any member may name. Collective, blocking.
  [[nodiscard]] static neighborhood of_edges(const team& among, std::span<const edge> edges,
                                             std::span<const int> weights = {});

  /// Makes a neighborhood of the nearest ranks on a grid: in each dimension the previous and the
  /// next rank, if they exist. On a ring of 1 or 2 ranks they are the same rank, twice.
  [[nodiscard]] static neighborhood cartesian(const team& among, const grid& on);
  /// Makes a neighborhood of all ranks within `radius` in each dimension, except the rank itself. A
  /// radius that `grid::around` refuses is refused at all members.
  [[nodiscard]] static neighborhood moore(const team& among, const grid& on, int radius);

  /// Returns the team. This and all other calls throw `error` (argument) if the object was moved
  /// from.
  [[nodiscard]] const team& among() const;
  /// Returns the members that send to this one, in the order of the received blocks.
  [[nodiscard]] std::span<const int> sources() const;
  /// Returns the members that this one sends to, in the order of the sent blocks.
  [[nodiscard]] std::span<const int> destinations() const;
  /// Returns the weights of the edges from sources, in the order of the ranks; empty if none has a
  /// weight. If some edges have weights, an edge without one has weight 1.
  [[nodiscard]] std::span<const int> source_weights() const;
  /// Returns the weights of the edges to destinations, likewise.
  [[nodiscard]] std::span<const int> destination_weights() const;

  /// Returns the state, for the collectives.
  [[nodiscard]] neighborhoods::detail::neighborhood_state& state() const {
    if (state_ == nullptr) [[unlikely]]
      refuse();
    return *state_;
  }

 private:
  /// `objection`: the reason for which this member refuses, or empty.
  neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on,
               std::string objection);
  [[noreturn]] static void refuse();

  std::shared_ptr<neighborhoods::detail::neighborhood_state> state_;
};

}  // namespace upwash
