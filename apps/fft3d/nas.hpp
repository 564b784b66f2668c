// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The problem of NAS FT (NAS Parallel Benchmarks 3.4, FT): a random field, diffused in wave space
// for six steps; sums over 1,024 of its points are published for each class.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/fft3d/partition.hpp"

namespace fft3d {

constexpr int steps = 6;

/// One class of the benchmark.
struct nas_class {
  char name = 'S';
  lengths points;
  std::array<complex, steps> checksums{};  ///< after each step
};

/// Class 'S' or 'W'. Throws `error` (argument) for any other.
[[nodiscard]] nas_class nas_class_named(char name);

/// The benchmark's random numbers from number `first` on (0 is the first), uniform in (0, 1):
/// x(i+1) = 5^13 x(i) mod 2^46 from x = 314159265. O(log first) to get there.
class nas_numbers {
 public:
  explicit nas_numbers(std::uint64_t first);
  [[nodiscard]] double next() noexcept;

 private:
  std::uint64_t state_;
};

/// Points `count` of y from `first` on in plane z, for all x, into `rows`: x runs fastest.
void fill_initial(const lengths& points, int z, int first, int count, std::span<complex> rows);

/// What one step multiplies the wave number of each index of one axis with; that of a point is the
/// product of its three: exp(-4 alpha pi^2 k^2) with alpha = 1e-6 and k from -length/2 on.
[[nodiscard]] std::vector<double> damping(int length);

/// The points of the j-th term of a checksum, j from 1 to 1,024.
struct point {
  int x = 0;
  int y = 0;
  int z = 0;
};
constexpr int checksum_terms = 1024;
[[nodiscard]] point checksum_point(const lengths& points, int j);

/// |seen - published| / |published|; the benchmark accepts up to `accepted_error`.
[[nodiscard]] double relative_error(complex seen, complex published);
constexpr double accepted_error = 1e-12;

/// Floating-point operations of the whole benchmark, by its own formula.
[[nodiscard]] double operations(const lengths& points);

}  // namespace fft3d
