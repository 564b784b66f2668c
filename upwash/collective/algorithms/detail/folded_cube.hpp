// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A hypercube for any number of ranks: the largest that they fill; the ranks beyond it are folded
// in, each beside the vertex that works for it. Ranks 2v and 2v + 1 are vertex v and its folded
// rank for the first vertices, the others are a vertex each; so the ranks of a subcube of low
// dimensions follow each other. (Kumar 2005, 3.1.3, has the folded ranks at the end.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace upwash::collective::detail {

class folded_cube {
 public:
  explicit folded_cube(int ranks) noexcept
      : dimensions_(static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1),
        folded_(ranks - vertices()) {}

  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] int vertices() const noexcept { return 1 << dimensions_; }
  /// How many ranks are folded in; 0: a whole cube.
  [[nodiscard]] int folded() const noexcept { return folded_; }

  [[nodiscard]] int vertex_of(int rank) const noexcept {
    return rank < 2 * std::int64_t{folded_} ? rank / 2 : rank - folded_;
  }
  [[nodiscard]] bool is_folded(int rank) const noexcept {
    return rank < 2 * std::int64_t{folded_} && rank % 2 != 0;
  }
  /// The rank of a vertex. Behind the last: the number of ranks.
  [[nodiscard]] int rank_of(int vertex) const noexcept {
    return vertex + std::min(vertex, folded_);
  }
  /// A vertex has two ranks, the second folded, or only itself.
  [[nodiscard]] bool has_folded(int vertex) const noexcept { return vertex < folded_; }
  /// Ranks of the vertices that equal this one modulo a power of two.
  [[nodiscard]] int ranks_alike(int vertex, int modulus) const noexcept {
    const int least = vertex & (modulus - 1);
    const int folded = least < folded_ ? (folded_ - 1 - least) / modulus + 1 : 0;
    return vertices() / modulus + folded;
  }

 private:
  int dimensions_;
  int folded_;
};

}  // namespace upwash::collective::detail
