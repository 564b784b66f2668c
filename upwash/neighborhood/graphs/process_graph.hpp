// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communication graph over all ranks, for tools, tests and planning. In a job each rank knows
// only its own neighbors (neighborhood.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upwash/neighborhood/graphs/grid.hpp"

namespace upwash {

/// A directed graph over ranks 0 to ranks - 1. Edges may repeat and may lead back. Memory: O(ranks
/// + edges).
class process_graph {
 public:
  struct edge {
    int from = 0;
    int to = 0;
  };

  /// A rank's destinations keep the order of its edges; its sources are sorted. `on`: the grid of
  /// the ranks, if any. Throws `error` (argument) for edges to ranks that do not exist, and for a
  /// grid of another size.
  process_graph(int ranks, std::span<const edge> edges, std::optional<grid> on = {});

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(out_.begins.size()) - 1; }
  [[nodiscard]] std::size_t edges() const noexcept { return out_.peers.size(); }
  [[nodiscard]] std::span<const int> destinations(int rank) const { return out_.of(rank); }
  [[nodiscard]] std::span<const int> sources(int rank) const { return in_.of(rank); }
  [[nodiscard]] const std::optional<grid>& coordinates() const noexcept { return grid_; }

 private:
  struct adjacency {
    std::vector<std::size_t> begins;
    std::vector<int> peers;
    [[nodiscard]] std::span<const int> of(int rank) const {
      const auto at = static_cast<std::size_t>(rank);
      return std::span(peers).subspan(begins[at], begins[at + 1] - begins[at]);
    }
  };
  static adjacency sorted(int ranks, std::span<const edge> edges, int edge::*by, int edge::*peer);

  adjacency out_;
  adjacency in_;
  std::optional<grid> grid_;
};

}  // namespace upwash
