// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks on a grid: the last dimension varies fastest, as in MPI.
#pragma once

#include <cstdint>
#include <vector>

namespace upwash {

class grid {
 public:
  /// `periodic`: which dimensions close to a ring; empty: none. Throws `error` (argument) for sizes
  /// below 1, more than 2^31 - 1 ranks, or another number of flags.
  explicit grid(std::vector<int> sizes, std::vector<bool> periodic = {});
  /// So many ranks in so many dimensions, as even as their factors allow, the longest first.
  [[nodiscard]] static grid balanced(int ranks, int dimensions, bool periodic);

  /// How many there are: the product of all sizes.
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// How many there are.
  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(sizes_.size()); }
  /// Ranks along a dimension.
  [[nodiscard]] int size(int dimension) const {
    return sizes_[static_cast<std::size_t>(dimension)];
  }
  /// Whether the last along a dimension is a neighbour of the first.
  [[nodiscard]] bool periodic(int dimension) const {
    return periodic_[static_cast<std::size_t>(dimension)];
  }
  /// Where a rank lies along a dimension. O(dimensions).
  [[nodiscard]] int coordinate(int rank, int dimension) const;
  /// The rank so far along a dimension, or -1 beyond an end.
  [[nodiscard]] int shifted(int rank, int dimension, int by) const;
  /// The way from one rank to another along a dimension: of a ring the shorter one, forwards where
  /// both are as short.
  [[nodiscard]] int way(int from, int to, int dimension) const;

  /// All ranks within a distance in each dimension, but for the rank itself; one that several ways
  /// lead to occurs as often. Throws `error` (argument) for a radius below 0, and one within which
  /// are more than `most_around`.
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
