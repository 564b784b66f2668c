// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/graphs/process_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash {

process_graph::process_graph(int ranks, std::span<const edge> edges, std::optional<grid> on)
    : grid_(std::move(on)) {
  if (ranks < 1) {
    throw error(error_kind::argument, fmt::format("process_graph: {} ranks", ranks));
  }
  for (const edge& each : edges) {
    if (std::min(each.from, each.to) < 0 || std::max(each.from, each.to) >= ranks) {
      throw error(error_kind::argument,
                  fmt::format("process_graph: the edge from {} to {} leaves the ranks 0 .. {}",
                              each.from, each.to, ranks - 1));
    }
  }
  if (grid_ && grid_->ranks() != ranks) {
    throw error(
        error_kind::argument,
        fmt::format("process_graph: a grid of {} ranks for a graph of {}", grid_->ranks(), ranks));
  }
  out_ = sorted(ranks, edges, &edge::from, &edge::to);
  in_ = sorted(ranks, edges, &edge::to, &edge::from);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto begin = in_.peers.begin();
    const auto at = static_cast<std::size_t>(rank);
    std::sort(begin + static_cast<std::ptrdiff_t>(in_.begins[at]),
              begin + static_cast<std::ptrdiff_t>(in_.begins[at + 1]));
  }
}

process_graph::adjacency process_graph::sorted(int ranks, std::span<const edge> edges,
                                               int edge::*by, int edge::*peer) {
  adjacency made{std::vector<std::size_t>(static_cast<std::size_t>(ranks) + 1),
                 std::vector<int>(edges.size())};
  for (const edge& each : edges) ++made.begins[static_cast<std::size_t>(each.*by) + 1];
  for (std::size_t i = 1; i < made.begins.size(); ++i) made.begins[i] += made.begins[i - 1];
  std::vector<std::size_t> next(made.begins.begin(), made.begins.end() - 1);
  for (const edge& each : edges) {
    made.peers[next[static_cast<std::size_t>(each.*by)]++] = each.*peer;
  }
  return made;
}

}  // namespace upwash
