// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Geometry of virtual grids: any number of ranks in 1 to 4 dimensions; the first coordinate runs
// fastest. Messages travel along dimension 0, then 1, and so on. Cells after the last rank are
// holes. They all lie in the last slab (the highest last coordinate), and the ranks below a hole on
// its line share its work. Source: Kumar 2005, section 3.1.
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

  /// Throws `error` (argument) unless the sizes hold the ranks, holes occur only in the last slab,
  /// and a slab lies below it if there are holes.
  grid(int ranks, std::span<const int> sizes);

  /// Makes a grid close to a cube: all sizes are ceil(ranks^(1/n)), except that the last is as
  /// small as possible. Uses fewer dimensions if the last would have size 1 (so holes always have a
  /// slab below them).
  [[nodiscard]] static grid near_cube(int ranks, int dimensions);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] int size(int dimension) const noexcept { return sizes_[at(dimension)]; }
  [[nodiscard]] bool full() const noexcept { return filled_ == slab_; }  ///< no holes

  [[nodiscard]] cell cell_of(int rank) const noexcept;
  [[nodiscard]] bool is_hole(const cell& where) const noexcept;
  /// Returns the rank of a cell that is not a hole.
  [[nodiscard]] int rank_of(const cell& where) const noexcept;

  /// Returns the number of ranks on the line through a cell. Their coordinates begin at 0 without
  /// gaps.
  [[nodiscard]] int line(const cell& through, int dimension) const noexcept;

  /// Returns the rank that does the work of the cell at `coordinate` on the line of `from`. For a
  /// hole it is the rank below with a last coordinate equal to the sender's own coordinate modulo
  /// the slabs below, so that the senders spread evenly. -1: a hole of the last dimension, to which
  /// nothing is sent.
  [[nodiscard]] int toward(const cell& from, int dimension, int coordinate) const noexcept;
  [[nodiscard]] int toward(int from, int dimension, int coordinate) const noexcept {
    return toward(cell_of(from), dimension, coordinate);
  }

  /// Returns the next rank on the path, which corrects one coordinate after the other; `to` itself
  /// at the end.
  [[nodiscard]] int next_hop(int from, int to) const noexcept;

  /// `senders` returns the number of ranks that send to a rank along a dimension, itself included.
  /// `sender` returns one of them by index: first those of its line by coordinate, then those for a
  /// hole that the rank represents.
  [[nodiscard]] int senders(const cell& to, int dimension) const noexcept;
  [[nodiscard]] int senders(int to, int dimension) const noexcept {
    return senders(cell_of(to), dimension);
  }
  [[nodiscard]] int sender(cell to, int dimension, int index) const noexcept;
  [[nodiscard]] int sender(int to, int dimension, int index) const noexcept {
    return sender(cell_of(to), dimension, index);
  }

  /// Indices of the senders with `coordinate`; -1: none.
  struct arrivals {
    int on_line = -1;
    int for_hole = -1;
  };
  [[nodiscard]] arrivals arrivals_from(const cell& to, int dimension,
                                       int coordinate) const noexcept;

  /// Returns the number of ranks that share the coordinates 0 to dimension - 1 with a cell and have
  /// a coordinate below `coordinate` in `dimension`. O(dimensions).
  [[nodiscard]] int before(const cell& like, int dimension, int coordinate) const noexcept;
  /// Returns the number of ranks that share the coordinates 0 to `dimension` with a cell, itself
  /// included.
  [[nodiscard]] int beyond(const cell& like, int dimension) const noexcept;

 private:
  grid() = default;
  static constexpr std::size_t at(int dimension) noexcept {
    return static_cast<std::size_t>(dimension);
  }
  [[nodiscard]] int last() const noexcept { return dimensions_ - 1; }
  [[nodiscard]] int below_last() const noexcept { return size(last()) - 1; }
  /// Difference in rank of neighbors along a dimension.
  [[nodiscard]] std::int64_t stride(int dimension) const noexcept;
  /// Number within its slab.
  [[nodiscard]] std::int64_t place_in_slab(const cell& where) const noexcept;
  /// Number of ranks on the line that send to the hole above a rank in the last slab, if that rank
  /// may represent it. 0: it is no hole.
  [[nodiscard]] int senders_to_hole_above(const cell& where, int dimension) const noexcept;

  int ranks_ = 1;
  int dimensions_ = 1;
  std::array<int, most_dimensions> sizes_{};
  int slab_ = 1;    ///< cells in a slab
  int filled_ = 1;  ///< ranks in the last slab
};

}  // namespace upwash::model
