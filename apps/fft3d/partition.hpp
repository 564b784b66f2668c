// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who has which points, and where what is exchanged lies: the two-dimensional partition of a box
// into pencils, and the two transposes of a transform (Nishtala 2009, "3D FFT: packed slabs").
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fft3d {

using complex = std::complex<double>;

[[nodiscard]] constexpr std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

struct lengths {
  int x = 1;
  int y = 1;
  int z = 1;
};

/// Ranks along y and z: rank r has part r % y of y and part r / y of z, and all of x.
struct rank_grid {
  int y = 1;
  int z = 1;
  friend bool operator==(const rank_grid&, const rank_grid&) = default;
};

/// Whether all ranks get pencils of one size before and after each transpose.
[[nodiscard]] bool fits(const lengths& points, const rank_grid& grid);

/// The grid asked for, or the squarest that fits (y not above z). Throws `error` (argument) where
/// it does not fit, or none of so many ranks does. O(ranks).
[[nodiscard]] rank_grid grid_for(const lengths& points, int ranks,
                                 const std::optional<rank_grid>& asked);

/// One transpose, as each of `members` ranks sees it. Before, it has planes x rows x length
/// points, those of a row side by side; each row goes to the members in equal parts. What comes
/// lands, for member m, plane p, row r, position k of the part, at
/// m * to_member + p * to_plane + r * to_row + k * to_position.
struct transpose {
  int planes = 1;
  int rows = 1;  ///< of a plane
  int length = 1;
  int members = 1;
  std::size_t to_member = 0;
  std::size_t to_plane = 0;
  std::size_t to_row = 0;
  std::size_t to_position = 0;

  [[nodiscard]] int part() const { return length / members; }
  [[nodiscard]] std::size_t points() const { return index(planes) * index(rows) * index(length); }
};

/// The lengths of a box in the order in which its axes are transformed, and among how many ranks
/// the transposes behind the first and the second are. At first the third axis is in parts among
/// `third_ranks`, the second among `second_ranks`; points lie as [third][second][first].
struct axes {
  int first = 1;
  int second = 1;
  int third = 1;
  int second_ranks = 1;
  int third_ranks = 1;
};

/// Makes the second axis whole inside each plane: points then lie as [third][first][second].
[[nodiscard]] transpose first_transpose(const axes& of);
/// Makes the third axis whole: [first][second][third].
[[nodiscard]] transpose second_transpose(const axes& of);

/// The parts of `count` rows at `rows`, member by member, to be sent. O(points).
void pack(const transpose& how, std::span<const complex> rows, int count,
          std::span<complex> packed);

/// Puts what came for `count` rows from `first` on (over all planes) where it belongs. O(points).
void unpack(const transpose& how, std::span<const complex> packed, int first, int count,
            std::span<complex> to);

}  // namespace fft3d
