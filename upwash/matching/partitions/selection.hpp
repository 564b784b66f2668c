// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What profiles are turned into: clusters of sources, and partners. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/matching/partitions/router.hpp"

namespace upwash::matching {

/// The cluster of each source: sources sorted by entries fill a cluster until its sum exceeds
/// average + standard deviation (Ghazimirsaeed 2019, Algorithm 3.1). O(n log n).
[[nodiscard]] std::vector<std::uint32_t> cluster_by_sum(std::span<const std::uint64_t> entries);

/// The same by K-means over the numbers of entries (Lloyd's steps from evenly spread quantiles,
/// Ghazimirsaeed 2019, 3.3 and appendix I); empty clusters are left out. O(n k) a step.
[[nodiscard]] std::vector<std::uint32_t> cluster_by_means(std::span<const std::uint64_t> entries,
                                                          std::uint32_t k);

/// The edge point of `population` sources, of which those not in `entries` have none
/// (Ghazimirsaeed 2019, 4.2.1; equation 4.2 with plus, where the paper prints a minus). Quartiles
/// are nearest ranks. O(n log n).
[[nodiscard]] double edge_point(std::span<const std::uint64_t> entries, std::uint64_t population,
                                const shape& by);

/// A source, or key, and its entries.
struct counted_key {
  std::uint64_t key = 0;
  std::uint64_t entries = 0;
};

/// The keys above the edge point, at most `most`, those with most entries first (Algorithm 4.1,
/// which takes them by number: the bound then cuts the least useful ones).
[[nodiscard]] std::vector<std::uint64_t> select_partners(std::vector<counted_key> counted,
                                                         std::uint64_t population, const shape& by,
                                                         std::size_t most);

/// Keys laid out without collisions: rows of a square slid aside until no column has two
/// (Ghazimirsaeed 2019, 4.2.2). locate is two reads.
class perfect_hash {
 public:
  perfect_hash() = default;
  explicit perfect_hash(std::span<const std::uint64_t> keys);

  /// The index of the key among those given, or -1.
  [[nodiscard]] std::int64_t locate(std::uint64_t key) const noexcept {
    const std::uint64_t row = key / side_;
    if (row >= slide_.size()) return -1;
    const std::uint64_t at = slide_[row] + key % side_;
    return at < cells_.size() && cells_[at].key == key ? cells_[at].index : -1;
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return slide_.capacity() * sizeof(std::uint64_t) + cells_.capacity() * sizeof(cell);
  }

 private:
  struct cell {
    std::uint64_t key = ~std::uint64_t{0};
    std::int64_t index = -1;
  };
  std::uint64_t side_ = 1;
  std::vector<std::uint64_t> slide_;
  std::vector<cell> cells_;
};

}  // namespace upwash::matching
