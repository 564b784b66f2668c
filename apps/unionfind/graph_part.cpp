// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/unionfind/graph_part.hpp"

#include <numeric>

namespace unionfind {
namespace {

link edge_of(const sparse::entry& one) {
  return link_of(static_cast<std::uint32_t>(one.row), static_cast<std::uint32_t>(one.column));
}

}  // namespace

std::vector<std::uint32_t> roots_of(const sparse::coordinate_matrix& graph) {
  std::vector<std::uint32_t> parents(static_cast<std::size_t>(graph.rows));
  std::iota(parents.begin(), parents.end(), 0U);
  for (const sparse::entry& each : graph.entries) unite(parents, edge_of(each));
  return roots_of(parents);
}

std::uint64_t count_roots(std::span<const std::uint32_t> parents, std::uint32_t first) noexcept {
  std::uint64_t count = 0;
  for (std::size_t v = 0; v < parents.size(); ++v) count += parents[v] == first + v ? 1 : 0;
  return count;
}

graph_part::graph_part(const sparse::coordinate_matrix& graph, int ranks, int rank)
    : share_(sparse::block_of(graph.rows, ranks, 0).count) {
  const sparse::row_block block = sparse::block_of(graph.rows, ranks, rank);
  first_ = static_cast<std::uint32_t>(block.first);
  parents_.resize(static_cast<std::size_t>(block.count));
  for (const sparse::entry& each : graph.entries) {
    if (each.row >= block.first && each.row < block.first + block.count) {
      edges_.push_back(edge_of(each));
    }
  }
  reset();
}

void graph_part::reset() { std::iota(parents_.begin(), parents_.end(), first_); }

}  // namespace unionfind
