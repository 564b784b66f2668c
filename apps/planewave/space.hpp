// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which waves a state has, and how they lie in planes of Fourier space and of real space. No ranks.
#pragma once

#include <cstddef>
#include <vector>

namespace planewave {

/// Real space is planes x points x planes; z is the plane of a point there.
struct box {
  int states = 16;
  int planes = 16;  ///< 4 or more
  int points = 16;  ///< 4 or more

  [[nodiscard]] int plane_points() const noexcept { return planes * points; }
  [[nodiscard]] double all_points() const noexcept {
    return static_cast<double>(plane_points()) * planes;
  }
  [[nodiscard]] int pairs() const noexcept { return (states + 1) / 2; }
};

/// Waves with one x and y; their z run from -reach to reach.
struct wave_column {
  int y = 0;  ///< where it lies in a row of real space
  int reach = 0;
  std::size_t first = 0;  ///< of the plane's waves
};

/// Waves with one x.
struct wave_plane {
  int x = 0;  ///< where it lies in a plane of real space
  std::vector<wave_column> columns;
  std::vector<double> kinetic;  ///< of each wave

  [[nodiscard]] int count() const noexcept { return static_cast<int>(columns.size()); }
  [[nodiscard]] std::size_t waves() const noexcept { return kinetic.size(); }
};

/// The waves in an ellipsoid of half the box's frequencies: a density has twice those of its
/// states. Their number differs from plane to plane.
[[nodiscard]] std::vector<wave_plane> waves_of(const box& of);

}  // namespace planewave
