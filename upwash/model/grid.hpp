// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Geometry of virtual grids: any number of ranks in 1 to 4 dimensions, the first coordinate
// running fastest. Messages travel along dimension 0, then 1, and so on. Cells beyond the last
// rank are holes; they all lie in the last slab (the highest last coordinate), and the ranks below
// a hole on its line share its work. Source: Kumar 2005, section 3.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::model {

class grid {
 public:
  static constexpr int most_dimensions = 4;
  /// Coordinates; those beyond the grid's dimensions are 0.
  using cell = std::array<int, most_dimensions>;

  /// Throws `error` (argument) unless the sizes hold the ranks, with holes in the last slab only
  /// and a slab below it where there are holes.
  grid(int ranks, std::span<const int> sizes);

  /// Near to a cube: all sizes ceil(ranks^(1/n)), but the last no larger than needed. Of fewer
  /// dimensions where the last would have size 1 (so holes always have a slab below them).
  [[nodiscard]] static grid near_cube(int ranks, int dimensions);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] int size(int dimension) const noexcept { return sizes_[at(dimension)]; }
  [[nodiscard]] bool full() const noexcept { return filled_ == slab_; }  ///< no holes

  [[nodiscard]] cell cell_of(int rank) const noexcept;
  [[nodiscard]] bool is_hole(const cell& where) const noexcept;
  /// The rank of a cell that is not a hole.
  [[nodiscard]] int rank_of(const cell& where) const noexcept;

  /// How many ranks lie on the line through a cell: at coordinates 0 and up, without gaps.
  [[nodiscard]] int line(const cell& through, int dimension) const noexcept;

  /// Who does the work of the cell that a rank sees on its line at `coordinate`: the rank there, or
  /// for a hole the rank below it whose last coordinate is the sender's own coordinate modulo the
  /// slabs below, so that the senders spread evenly. -1: a hole of the last dimension, where
  /// nothing is to be sent.
  [[nodiscard]] int toward(const cell& from, int dimension, int coordinate) const noexcept;
  [[nodiscard]] int toward(int from, int dimension, int coordinate) const noexcept {
    return toward(cell_of(from), dimension, coordinate);
  }

  /// Next rank on the way, which corrects one coordinate after the other; `to` itself at the end.
  [[nodiscard]] int next_hop(int from, int to) const noexcept;

  /// The ranks that send to a rank along a dimension, itself among them: first those of its line by
  /// coordinate, then those for which it stands in for a hole.
  [[nodiscard]] int senders(const cell& to, int dimension) const noexcept;
  [[nodiscard]] int senders(int to, int dimension) const noexcept {
    return senders(cell_of(to), dimension);
  }
  [[nodiscard]] int sender(cell to, int dimension, int index) const noexcept;
  [[nodiscard]] int sender(int to, int dimension, int index) const noexcept {
    return sender(cell_of(to), dimension, index);
  }

  /// Indices of the senders that have `coordinate`; -1: there is none.
  struct arrivals {
    int on_line = -1;
    int for_hole = -1;
  };
  [[nodiscard]] arrivals arrivals_from(const cell& to, int dimension,
                                       int coordinate) const noexcept;

  /// How many ranks share the coordinates 0 to dimension - 1 with a cell, and have one below
  /// `coordinate` in `dimension`. O(dimensions).
  [[nodiscard]] int before(const cell& like, int dimension, int coordinate) const noexcept;
  /// How many share the coordinates 0 to `dimension` with a cell, this one included.
  [[nodiscard]] int beyond(const cell& like, int dimension) const noexcept;

 private:
  grid() = default;
  static constexpr std::size_t at(int dimension) noexcept {
    return static_cast<std::size_t>(dimension);
  }
  [[nodiscard]] int last() const noexcept { return dimensions_ - 1; }
  [[nodiscard]] int below_last() const noexcept { return size(last()) - 1; }
  /// Distance in rank of neighbours along a dimension.
  [[nodiscard]] std::int64_t stride(int dimension) const noexcept;
  /// Number within its slab.
  [[nodiscard]] std::int64_t place_in_slab(const cell& where) const noexcept;
  /// The cell of the last slab above a rank for which that rank may stand in, and how many ranks
  /// on the line through this hole do send to it; 0: it is no hole.
  [[nodiscard]] int senders_to_hole_above(const cell& where, int dimension) const noexcept;

  int ranks_ = 1;
  int dimensions_ = 1;
  std::array<int, most_dimensions> sizes_{};
  int slab_ = 1;    ///< cells in a slab
  int filled_ = 1;  ///< ranks in the last slab
};

}  // namespace upwash::model
