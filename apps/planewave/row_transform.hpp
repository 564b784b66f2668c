// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Discrete Fourier transforms of rows of any length, by its factors. No ranks.
#pragma once

#include <complex>
#include <vector>

namespace planewave {

using complex = std::complex<double>;

class row_transform {
 public:
  /// 1 or more.
  explicit row_transform(int length);

  /// In place, not scaled; `sign` of the exponent, -1 or 1. Elements are `stride` apart.
  void run(complex* row, int stride, int sign);

 private:
  void step(const complex* from, int stride, complex* to, int length, int sign);
  [[nodiscard]] complex root(int power, int sign) const;

  int length_;
  std::vector<complex> roots_;  ///< of one, by power
  std::vector<complex> from_;
  std::vector<complex> to_;
  std::vector<complex> mixed_;
};

}  // namespace planewave
