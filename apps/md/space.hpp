// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A periodic box, cut into cells, and which pairs of cells have particles within the cutoff of each
// other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/md/vec.hpp"
#include "upwash/objects/index_map.hpp"

namespace md {

using triple = std::array<int, 3>;

/// x, y and z of a cell.
using cell_index = std::array<std::int16_t, 3>;
/// That of the first cell of a pair, and the way to the second: 0 to itself, else one of the slots
/// behind the middle.
using compute_index = std::array<std::int16_t, 4>;

/// Slots number the cells at most `reach` away in each direction, itself in the middle; slot s of a
/// cell is the place of another from there, whose slot opposite(s) is this one.
[[nodiscard]] constexpr int slots_of(int reach) noexcept {
  return (2 * reach + 1) * (2 * reach + 1) * (2 * reach + 1);
}
[[nodiscard]] constexpr int opposite(int slot, int reach) noexcept {
  return slots_of(reach) - 1 - slot;
}
[[nodiscard]] triple offset_of(int slot, int reach) noexcept;

/// Pairs of each cell with those on one side of it, and with itself.
[[nodiscard]] constexpr int computes_a_cell(int reach) noexcept { return slots_of(reach) / 2 + 1; }
[[nodiscard]] constexpr cell_index first_of(const compute_index& pair) noexcept {
  return {pair[0], pair[1], pair[2]};
}
/// Whether it is of one cell alone; not so where its second cell is an image of its first.
[[nodiscard]] constexpr bool is_self(const compute_index& pair) noexcept { return pair[3] == 0; }
/// The slot of the second cell at the first.
[[nodiscard]] constexpr int slot_of(const compute_index& pair, int reach) noexcept {
  return slots_of(reach) / 2 + pair[3];
}

struct space {
  vec box;
  triple cells{};
  int reach = 1;  ///< neighbours are at most so many cells away
  double cutoff = 0;
  /// What is left of the cells' sides beyond the cutoff: particles may leave their cell by half.
  double margin = 0;

  /// Cells of least sides that reach the cutoff and so much more. Throws `error` (configuration)
  /// for a box with too many.
  [[nodiscard]] static space cut(const vec& box, double cutoff, double margin, int reach);

  [[nodiscard]] int count() const noexcept { return cells[0] * cells[1] * cells[2]; }
  /// Of the indices of cells and of computes.
  [[nodiscard]] upwash::extents<3> cell_extents() const noexcept;
  [[nodiscard]] upwash::extents<4> compute_extents() const noexcept;
  [[nodiscard]] int number_of(const cell_index& cell) const noexcept;
  [[nodiscard]] cell_index cell_numbered(int number) const noexcept;
  [[nodiscard]] cell_index neighbor_of(const cell_index& cell, const triple& offset) const noexcept;
  [[nodiscard]] cell_index second_of(const compute_index& pair) const noexcept;
  /// Those that need the positions of a cell, each once.
  [[nodiscard]] std::vector<compute_index> computes_of(const cell_index& cell) const;

  [[nodiscard]] vec side() const noexcept;
  /// Of the particles of the second cell, as the first sees them.
  [[nodiscard]] vec shift(const compute_index& pair) const noexcept;
  [[nodiscard]] vec corner(const cell_index& cell) const noexcept;
  /// The cell in which a point inside the box is.
  [[nodiscard]] cell_index cell_at(const vec& point) const noexcept;
};

}  // namespace md
