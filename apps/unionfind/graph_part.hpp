// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A graph over the ranks: each has a block of the vertices, and the edges that its rows of the
// matrix name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/common/csr.hpp"
#include "apps/common/matrix_market.hpp"
#include "apps/unionfind/forest.hpp"

namespace unionfind {

/// The root of every vertex, found by one alone.
[[nodiscard]] std::vector<std::uint32_t> roots_of(const sparse::coordinate_matrix& graph);

/// How many vertices are their own roots, the first of which is number `first`: components.
[[nodiscard]] std::uint64_t count_roots(std::span<const std::uint32_t> parents,
                                        std::uint32_t first = 0) noexcept;

class graph_part {
 public:
  graph_part() = default;
  graph_part(const sparse::coordinate_matrix& graph, int ranks, int rank);

  /// Each vertex a tree of its own.
  void reset();
  [[nodiscard]] int owner(const link& what) const noexcept {
    return static_cast<int>(what.larger) / share_;
  }
  /// At the owner: what is left to be linked.
  [[nodiscard]] std::optional<link> climb(const link& what) noexcept {
    return step(parents_[what.larger - first_], what);
  }

  [[nodiscard]] std::span<const link> edges() const noexcept { return edges_; }
  [[nodiscard]] std::span<const std::uint32_t> parents() const noexcept { return parents_; }
  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
  [[nodiscard]] int share() const noexcept { return share_; }  ///< vertices of the largest block

 private:
  int share_ = 1;
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> parents_;
  std::vector<link> edges_;
};

}  // namespace unionfind
