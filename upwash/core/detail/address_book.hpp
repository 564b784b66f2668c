// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the parts of regions lie in their owners' address spaces, for those regions whose members
// told each other. Memory: 8 bytes a member and region (16 where parts are unequal), and for each
// rank that was asked about 60 bytes a region.
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
  std::vector<std::uint64_t> sizes;  ///< by member; one: of all
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

  /// O(ranks asked about x log regions).
  void add(published_region made);
  void remove(std::uint64_t bits);

  /// The part of `rank` that holds the address; null: none. O(log regions), O(regions) when a rank
  /// is asked about for the first time.
  [[nodiscard]] const part* find(int rank, std::uint64_t address);
  /// Null: not published.
  [[nodiscard]] const published_region* region(std::uint64_t bits) const noexcept;

 private:
  using parts = std::map<std::uint64_t, part>;  ///< of a rank, by base
  static void enter(parts& into, const published_region& from, int rank);

  std::map<std::uint64_t, published_region> regions_;
  std::unordered_map<int, parts> by_rank_;
};

}  // namespace upwash::detail
