// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of a team with their neighbours: who sends to whom in the collectives of
// neighbor_all_gather.hpp and neighbor_all_to_all.hpp.
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

/// The ranks of a team that a member gets blocks from and sends blocks to. Ranks may repeat, and a
/// member may be its own neighbour.
struct neighbors {
  std::span<const int> sources;
  std::span<const int> destinations;
  /// What an edge weighs, of each or none; 0 or above. Kept for the program's own use, as MPI's
  /// graphs keep them: no scheme goes by them, and both ends of an edge need not say the same.
  std::span<const int> source_weights{};
  std::span<const int> destination_weights{};
};

/// How members tell each other what plans need: whose blocks come, who leads, who is whose friend.
enum class agree_by : std::uint8_t {
  messages,  ///< of a sparse exchange
  puts,      ///< into mailboxes at each other, in which they reserve room by atomic additions
};

/// The same at all members, or all refuse.
struct neighborhood_options {
  agree_by plans_by = agree_by::messages;
};

/// A process graph on a team, as one member sees it: a handle that is cheap to copy. It remembers
/// the plans by which blocks travel, so calls on one neighborhood cost no planning but for the
/// first with a scheme. Made by all members in the same order; used as long as the team is there.
/// Memory at a rank: O(team) words for who shares a node, and for each plan a word for each block
/// that it sends, gets or hands on.
class neighborhood {
 public:
  /// Every member names its own edges at both ends; blocks lie in the order given here. `on`: the
  /// ranks lie on this grid, which lets blocks travel along its dimensions. Collective, blocking.
  /// Messages: one for each distinct destination, and a reduction. Throws `error` (argument) at
  /// all members for ranks outside the team, edges that one end does not know of (with both ranks),
  /// a grid of another size, members that give different grids, and weights below 0 or another
  /// number of them than of edges.
  neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on = {},
               const neighborhood_options& how = {});

  /// Members name the destinations only; the sources are found, sorted by rank. Else the same. An
  /// edge weighs the same at both ends.
  [[nodiscard]] static neighborhood to(const team& among, std::span<const int> destinations,
                                       std::span<const int> weights = {});
  /// The members from which blocks are wanted; the destinations are found, sorted by rank.
  [[nodiscard]] static neighborhood from(const team& among, std::span<const int> sources,
                                         std::span<const int> weights = {});
  /// Edges that anybody names, by whose they may be, as MPI_Dist_graph_create takes them;
  /// neighbours are sorted by rank. An edge that leaves the team is refused at all members.
  struct edge {
    int from = 0;
    int to = 0;
  };
  /// Collective, blocking.
  [[nodiscard]] static neighborhood of_edges(const team& among, std::span<const edge> edges,
                                             std::span<const int> weights = {});

  /// The nearest on a grid: for each dimension the one before and the one behind, as far as there
  /// are such; on a ring of 1 or 2 ranks they are the same rank, twice.
  [[nodiscard]] static neighborhood cartesian(const team& among, const grid& on);
  /// All within a distance in each dimension, but for the rank itself. A radius that
  /// `grid::around` does not take is refused at all members.
  [[nodiscard]] static neighborhood moore(const team& among, const grid& on, int radius);

  /// These, and all calls, throw `error` (argument) where this was moved from.
  [[nodiscard]] const team& among() const;
  /// The members that send to me, in the order of the blocks received.
  [[nodiscard]] std::span<const int> sources() const;
  /// The members that I send to, in the order of the blocks sent.
  [[nodiscard]] std::span<const int> destinations() const;
  /// By edge, in the order of the ranks; empty where none of these edges was given one. Beside
  /// others that have weights, an edge without one weighs 1.
  [[nodiscard]] std::span<const int> source_weights() const;
  /// The same of the edges to destinations.
  [[nodiscard]] std::span<const int> destination_weights() const;

  /// For the collectives.
  [[nodiscard]] neighborhoods::detail::neighborhood_state& state() const {
    if (state_ == nullptr) [[unlikely]]
      refuse();
    return *state_;
  }

 private:
  /// `objection`: why this member refuses; empty: it does not.
  neighborhood(const team& among, const neighbors& mine, const std::optional<grid>& on,
               std::string objection);
  [[noreturn]] static void refuse();

  std::shared_ptr<neighborhoods::detail::neighborhood_state> state_;
};

}  // namespace upwash
