// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The addresses of regions' parts in their owners' address spaces, for regions whose members
// published them. Memory: 8 bytes a member and region (16 if parts are unequal), and about 60 bytes
// a region for each rank that was asked about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "upwash/core/detail/rank_map.hpp"

namespace upwash::detail {

struct published_region {
  std::uint64_t bits = 0;
  rank_map members;
  std::vector<std::uint64_t> bases;  ///< by member
  std::vector<std::uint64_t> sizes;  ///< by member; one entry: the same for all members
  [[nodiscard]] std::uint64_t size_of(int member) const noexcept {
    return sizes.size() == 1 ? sizes.front() : sizes[static_cast<std::size_t>(member)];
  }
};

class address_book {
 public:
  struct part {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    std::uint64_t bits = 0;
  };

  /// Adds a region. O(ranks asked about x log regions).
  void add(published_region made);
  void remove(std::uint64_t bits);

  /// Returns the part of `rank` that holds the address; null if there is none. O(log regions),
  /// O(regions) at the first question about a rank.
  [[nodiscard]] const part* find(int rank, std::uint64_t address);
  /// Returns the region; null if its addresses are not published.
  [[nodiscard]] const published_region* region(std::uint64_t bits) const noexcept;

 private:
  using parts = std::map<std::uint64_t, part>;  ///< parts of a rank, by base
  static void enter(parts& into, const published_region& from, int rank);

  std::map<std::uint64_t, published_region> regions_;
  std::unordered_map<int, parts> by_rank_;
};

}  // namespace upwash::detail
