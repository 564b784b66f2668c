// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks on a grid; the last dimension varies fastest, as in MPI.
#pragma once

#include <cstdint>
#include <vector>

namespace upwash {

class grid {
 public:
  /// Makes a grid. `periodic`: the dimensions that form a ring; empty: none. Throws `error`
  /// (argument) for sizes below 1, more than 2^31 - 1 ranks, or a wrong number of flags.
  explicit grid(std::vector<int> sizes, std::vector<bool> periodic = {});
  /// Makes a grid of `ranks` ranks in `dimensions` dimensions, as even as the factors of `ranks`
  /// allow, the longest dimension first.
  [[nodiscard]] static grid balanced(int ranks, int dimensions, bool periodic);

  /// Returns the number of ranks: the product of all sizes.
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// Returns the number of dimensions.
  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(sizes_.size()); }
  /// Returns the number of ranks along a dimension.
  [[nodiscard]] int size(int dimension) const {
    return sizes_[static_cast<std::size_t>(dimension)];
  }
  /// Returns whether the last rank along a dimension is a neighbor of the first.
  [[nodiscard]] bool periodic(int dimension) const {
    return periodic_[static_cast<std::size_t>(dimension)];
  }
  /// Returns the coordinate of a rank along a dimension. O(dimensions).
  [[nodiscard]] int coordinate(int rank, int dimension) const;
  /// Returns the rank at distance `by` along a dimension, or -1 beyond an end.
  [[nodiscard]] int shifted(int rank, int dimension, int by) const;
  /// Returns the signed distance between two ranks along a dimension. On a ring it is the shorter
  /// of the two, and positive if both are equal.
  [[nodiscard]] int way(int from, int to, int dimension) const;

  /// Returns all ranks within `radius` in each dimension, except the rank itself. A rank reached by
  /// several paths occurs several times. Throws `error` (argument) for a radius below 0, and for
  /// one with more than `most_around` ranks in it.
  [[nodiscard]] std::vector<int> around(int rank, int radius) const;
  static constexpr std::int64_t most_around = std::int64_t{1} << 24U;

  friend bool operator==(const grid&, const grid&) = default;

 private:
  struct ways {
    int least;
    int most;
  };
  [[nodiscard]] std::vector<ways> ways_within(int rank, int radius) const;

  std::vector<int> sizes_;
  std::vector<int> strides_;
  std::vector<bool> periodic_;
  int ranks_ = 1;
};

}  // namespace upwash
