// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/schemes/friends_group.hpp"

#include <algorithm>

namespace upwash::neighborhoods {

friend_group::friend_group(std::span<const int> sorted, int weight)
    : size_(std::min(sorted.size(), most_friends)),
      weight_(weight),
      spread_(spread_of(sorted, base_for(sorted.size()))) {
  std::copy_n(sorted.begin(), size_, ranks_.begin());
}

bool friend_group::has(int rank) const { return std::ranges::binary_search(ranks(), rank); }

std::size_t friend_group::place_of(int rank) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks(), rank) - ranks().begin());
}

bool friend_group::same_ranks(const friend_group& other) const {
  return std::ranges::equal(ranks(), other.ranks());
}

bool friend_group::before(const friend_group& other) const {
  if (empty() || other.empty()) return !empty() && other.empty();
  if (weight_ != other.weight_) return weight_ > other.weight_;
  if (spread_ != other.spread_) return spread_ < other.spread_;
  return std::ranges::lexicographical_compare(ranks(), other.ranks());
}

std::uint64_t friend_group::spread_of(std::span<const int> ranks, int base) {
  std::uint64_t differ = 0;
  for (const int rank : ranks) {
    if (base == 2) {
      differ |= static_cast<unsigned>(rank ^ ranks[0]);
      continue;
    }
    int a = rank;
    int b = ranks[0];
    for (unsigned digit = 0; a != b; ++digit, a /= base, b /= base) {
      if (a % base != b % base) differ |= std::uint64_t{1} << digit;
    }
  }
  return differ;
}

int friend_group::base_for(std::size_t size) {
  std::size_t base = 2;
  while (base < size && size % base != 0) ++base;
  return static_cast<int>(base);
}

}  // namespace upwash::neighborhoods
