// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Potentials of the charges on a grid by 3-D transforms in planes: those along y and z in each
// plane of x, those along x in each plane of y. The transforms of lines are FFTW's.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "apps/md/mesh.hpp"

namespace md {

using complex = std::complex<double>;

/// Plans of one mesh, to be used by one rank.
class planes {
 public:
  explicit planes(const mesh& on);
  ~planes();
  planes(planes&&) = delete;

  /// [y][z] of a plane of x, the waves [y][waves of z] from charges, and the potentials from waves,
  /// which it overwrites.
  void forward(std::span<double> charges, std::span<complex> waves) const;
  void backward(std::span<complex> waves, std::span<double> potentials) const;
  /// [x][waves of z] of plane y: from waves of charges to waves of potentials, along x.
  void solve(int y, std::span<complex> waves) const;

  [[nodiscard]] std::size_t waves_of_x_plane() const noexcept;
  [[nodiscard]] std::size_t waves_of_y_plane() const noexcept;
  /// Of one of the three, of floating point, as FFTs are counted: 5 n log2 n, for real data half.
  [[nodiscard]] double operations_of_x_plane() const noexcept;
  [[nodiscard]] double operations_of_y_plane() const noexcept;

 private:
  struct plans;

  mesh on_;
  std::unique_ptr<plans> plans_;
  std::array<std::vector<double>, 3> waves2_;    ///< squares of wave numbers along each axis
  std::array<std::vector<double>, 3> strength_;  ///< what the potential has along each axis
};

/// Potentials on the whole grid, [x][y][z], from the charges there: for runs by one processor.
void solve_whole(const planes& by, const mesh& on, std::span<double> grid);

}  // namespace md
