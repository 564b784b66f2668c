// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Smooth particle-mesh Ewald (Essmann 1995), of order 4, as a cell sees it: its charges spread to
// the grid, and the forces of the grid's potentials on them. No ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/md/space.hpp"
#include "apps/md/topology.hpp"

namespace md {

constexpr int spline_order = 4;

/// A grid over the box. Charges act through it but for what `beta` leaves to pairs.
struct mesh {
  triple points{};
  vec box;
  double beta = 0;

  [[nodiscard]] bool used() const noexcept { return points[0] > 0; }
  [[nodiscard]] std::size_t plane_points() const noexcept {
    return static_cast<std::size_t>(points[1]) * static_cast<std::size_t>(points[2]);
  }
  /// Waves along z that are kept: the others are their conjugates.
  [[nodiscard]] int waves() const noexcept { return points[2] / 2 + 1; }

  /// With the beta for which pairs at the cutoff have so much of their energy left. Throws `error`
  /// (configuration) for grids of too few points or too many.
  [[nodiscard]] static mesh over(const triple& points, const space& of, double tolerance);
};

/// A part of the grid, which goes on at the other end where it leaves the box: `count` points from
/// `from` on. Values of it lie as [x][y][z].
struct region {
  triple from{};
  triple count{};

  [[nodiscard]] std::size_t plane_points() const noexcept {
    return static_cast<std::size_t>(count[1]) * static_cast<std::size_t>(count[2]);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(count[0]) * plane_points();
  }
  /// Which of its planes is plane x of the grid, or -1.
  [[nodiscard]] int plane_at(int x, const mesh& of) const noexcept;
};

/// What the charges of a cell touch, also where they are outside it as far as cells allow.
[[nodiscard]] region region_of(const mesh& on, const space& in, const cell_index& cell);

/// Adds charges to the grid's values.
void spread(const mesh& on, const region& to, std::span<const site> charges,
            std::span<double> values);
/// Adds the forces of potentials on the grid to those on the charges. Returns their energy, of
/// which a pair of charges has half each.
[[nodiscard]] double gather(const mesh& on, const region& from, std::span<const double> potentials,
                            std::span<const site> charges, std::span<vec> forces);

/// A plane of a region, to and from the plane of the grid.
void add_plane(const mesh& on, const region& of, std::span<const double> values,
               std::span<double> plane);
[[nodiscard]] std::vector<double> cut_plane(const mesh& on, const region& of,
                                            std::span<const double> plane);

}  // namespace md
