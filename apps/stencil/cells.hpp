// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A box of cells of a periodic square or cube with a layer of ghosts around it: what one rank
// computes on, and what it gives its neighbours. No ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stencil {

/// By dimension; the last varies fastest.
using triple = std::array<int, 3>;

/// Where a neighbour lies: -1, 0 or 1 in each dimension, not 0 in all.
using direction = triple;

/// All cells, and how many of them a new value depends on.
struct lattice {
  int side = 64;
  int points = 7;  ///< 5: of a square, which is the last two dimensions; 7 or 27: of a cube

  [[nodiscard]] constexpr int dimensions() const noexcept { return points == 5 ? 2 : 3; }
  [[nodiscard]] constexpr triple extents() const noexcept {
    return {dimensions() == 2 ? 1 : side, side, side};
  }
};

/// Those of the neighbours that a cell's new value depends on: one less than the points.
[[nodiscard]] std::vector<direction> directions_of(int points);
[[nodiscard]] constexpr direction opposite(const direction& of) noexcept {
  return {-of[0], -of[1], -of[2]};
}

/// The cells [first, first + count).
struct box {
  triple first{};
  triple count{};
};
/// The share of place `at` of so many in each dimension.
[[nodiscard]] box share_of(const lattice& of, const triple& places, const triple& at);

class cells {
 public:
  cells() = default;  ///< None, to be read from an archive.
  /// Values are drawn from where a cell lies.
  cells(const lattice& of, const box& mine);

  [[nodiscard]] std::size_t inner() const noexcept;
  /// How many cells lie at that side, as at the other: those that the neighbour there needs.
  [[nodiscard]] std::size_t at_side(const direction& side) const noexcept;
  /// Copies the cells at that side; `into` has as many.
  void pack(const direction& side, std::span<double> into) const;
  /// The ghosts beyond that side become these.
  void unpack(const direction& side, std::span<const double> from);
  /// Where the box has all cells: ghosts become the cells at the other end.
  void wrap();

  /// Each cell becomes the mean of itself and its neighbours, nearer ones counting more: (2 c +
  /// sum) / 8 of 7 points, weights of 8, 4, 2 and 1 over 64 of 27. Of 5 points (4 c + sum) / 8: an
  /// eighth of the five-point Laplacian, sum - 4 c, is added. Needs the ghosts.
  void step();

  /// A number of the values and where they lie, in every bit: marks of boxes add up to that of all.
  [[nodiscard]] std::uint64_t mark() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(of_, mine_, now_, next_);
  }

 private:
  [[nodiscard]] std::size_t index(int z, int y, int x) const noexcept;
  /// Visits the first of each row of a box in local coordinates.
  template <class Visit>
  static void for_each_row(const box& of, Visit visit);
  [[nodiscard]] box layer(const direction& side, bool ghosts) const noexcept;

  /// The first inner cell in z: squares have no ghosts there.
  [[nodiscard]] int first_z() const noexcept { return of_.dimensions() == 3 ? 1 : 0; }
  [[nodiscard]] box inside() const noexcept { return {{first_z(), 1, 1}, mine_.count}; }

  lattice of_;
  box mine_;
  std::vector<double> now_;
  std::vector<double> next_;
};

/// The mark of all cells after so many steps, by one processor.
[[nodiscard]] std::uint64_t serial_mark(const lattice& of, int steps);

}  // namespace stencil
