// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a step computes, plane by plane, and how much work that is. No ranks: the serial run and the
// objects call the same code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/planewave/row_transform.hpp"
#include "apps/planewave/space.hpp"

namespace planewave {

using waves = std::vector<complex>;
using field = std::vector<double>;

/// Of a pair of states: products of the first with itself, of the second, of both.
struct overlap {
  double first = 0;
  double second = 0;
  complex both = 0;
};

/// Of the density in one plane, or in all.
struct density_sums {
  double charge = 0;
  double energy = 0;
};

/// One at a time: it has room for a row.
class kernel {
 public:
  explicit kernel(const box& of);

  [[nodiscard]] const box& in() const noexcept { return in_; }
  [[nodiscard]] int wave_planes() const noexcept { return static_cast<int>(planes_.size()); }
  [[nodiscard]] const wave_plane& plane(int number) const {
    return planes_[static_cast<std::size_t>(number)];
  }

  /// Waves of a state's plane before the first step.
  [[nodiscard]] waves begin(int state, int number) const;

  // Phase I.
  /// Along z: by column, then z.
  [[nodiscard]] waves to_columns(int number, const waves& of);
  /// What one plane of real space gets of that: an element of each column.
  [[nodiscard]] waves piece_for(int number, const waves& columns, int z) const;
  /// A piece has arrived at a plane of real space: along y.
  void add_row(int number, const waves& piece, waves& real);
  /// All have: along x.
  void end_real(waves& real);

  // Phases II to V.
  [[nodiscard]] field density_of(const waves& real) const;
  /// The density of a plane becomes its potential: gradient correction and exchange.
  [[nodiscard]] density_sums to_potential(field& density) const;

  // Phase VI.
  /// The potential times the state, along x.
  void apply(const field& potential, waves& real);
  /// Along y of one row: what goes back to that plane of waves.
  [[nodiscard]] waves piece_back(int number, waves& real);
  void keep(const waves& piece, int z, waves& columns) const;
  /// Along z; and the step.
  void descend(int number, waves& columns, waves& of);

  // Phases VII and VIII.
  [[nodiscard]] static overlap overlap_of(const waves& first, const waves& second);
  static void normalise_first(const overlap& sums, waves& first);
  /// What it has in common with the first goes, of which this is what it was before.
  static void normalise_second(const overlap& sums, const waves& first, waves& second);

  /// A number that any change of the waves changes.
  [[nodiscard]] complex mark_of(int state, int number, const waves& of) const;

  // Work, in floating point operations; copying an element counts as two.
  [[nodiscard]] double columns_work(int number) const;
  [[nodiscard]] double row_work(int number) const;
  [[nodiscard]] double real_work() const;
  [[nodiscard]] double plane_work(double each) const { return each * in_.plane_points(); }
  [[nodiscard]] double wave_work(int number, double each) const {
    return each * static_cast<double>(plane(number).waves());
  }

 private:
  box in_;
  std::vector<wave_plane> planes_;
  row_transform along_planes_;
  row_transform along_points_;
};

}  // namespace planewave
