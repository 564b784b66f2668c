// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A box of cells of a periodic cube with a layer of ghosts around it: what one rank computes on,
// and what it gives its neighbours. No ranks.
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

/// Those of the neighbours that a cell's new value depends on: 6 for 7 points, 26 for 27.
[[nodiscard]] std::vector<direction> directions_of(int points);
[[nodiscard]] constexpr direction opposite(const direction& of) noexcept {
  return {-of[0], -of[1], -of[2]};
}

/// The cells [first, first + count) of a cube.
struct box {
  triple first{};
  triple count{};
};
/// The share of place `at` of so many in each dimension.
[[nodiscard]] box share_of(int cube, const triple& places, const triple& at);

class cells {
 public:
  /// Of a cube of that many cells a side; values are drawn from where a cell lies.
  cells(int cube, const box& mine);

  [[nodiscard]] std::size_t inner() const noexcept;
  /// How many cells lie at that side, as at the other: those that the neighbour there needs.
  [[nodiscard]] std::size_t at_side(const direction& side) const noexcept;
  /// Copies the cells at that side; `into` has as many.
  void pack(const direction& side, std::span<double> into) const;
  /// The ghosts beyond that side become these.
  void unpack(const direction& side, std::span<const double> from);
  /// Where the box is the whole cube: ghosts become the cells at the other end.
  void wrap();

  /// Each cell becomes the mean of itself and its neighbours, nearer ones counting more: (2 c +
  /// sum) / 8 of 7 points, weights of 8, 4, 2 and 1 over 64 of 27. Needs the ghosts.
  void step(int points);

  /// A number of the values and where they lie, in every bit: marks of boxes add up to that of the
  /// cube.
  [[nodiscard]] std::uint64_t mark() const;

 private:
  [[nodiscard]] std::size_t index(int z, int y, int x) const noexcept;
  /// Visits the first of each row of a box in local coordinates: inner cells begin at 1.
  template <class Visit>
  static void for_each_row(const box& of, Visit visit);
  [[nodiscard]] box layer(const direction& side, bool ghosts) const noexcept;

  int cube_;
  box mine_;
  std::vector<double> now_;
  std::vector<double> next_;
};

/// The mark of the whole cube after so many steps, by one processor.
[[nodiscard]] std::uint64_t serial_mark(int cube, int points, int steps);

}  // namespace stencil
