// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one rank does with its keys in a pass of the radix sort: count them by digit, group them by
// the rank that gets them, order what came.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace radixsort {

using key = std::uint64_t;

constexpr int digit_bits = 16;
constexpr int passes = 64 / digit_bits;
constexpr std::size_t buckets = std::size_t{1} << static_cast<unsigned>(digit_bits);

/// The digit that pass 0 (the lowest) to 3 looks at.
[[nodiscard]] constexpr std::size_t digit_of(key of, int pass) {
  return (of >> static_cast<unsigned>(digit_bits * pass)) & (buckets - 1);
}

/// How many keys have each digit: adds to `counts`, one for each bucket.
void count(std::span<const key> keys, int pass, std::span<std::uint32_t> counts);

/// Consecutive buckets for each rank, so that each gets about as many keys: `first`[r] is the first
/// bucket of rank r, and `first`[ranks] the number of buckets. A bucket is never divided.
void divide(std::span<const std::uint32_t> counts, std::span<std::uint32_t> first);

/// The rank of each bucket, from what `divide` found.
[[nodiscard]] std::vector<int> rank_of_bucket(std::span<const std::uint32_t> first);

/// How many keys go to each rank.
[[nodiscard]] std::vector<std::uint64_t> count_by_rank(std::span<const key> keys, int pass,
                                                       std::span<const int> rank_of, int ranks);

/// The keys in the order of the ranks that get them; equal ranks in the order they had. `per_rank`
/// is what `count_by_rank` found.
void group(std::span<const key> keys, int pass, std::span<const int> rank_of,
           std::span<const std::uint64_t> per_rank, std::span<key> grouped);

/// The keys in the order of their digits; equal digits in the order they had. O(keys + buckets).
void order(std::span<const key> keys, int pass, std::vector<key>& ordered);

/// A fingerprint that no reordering changes; sums of those of parts are that of the whole.
struct fingerprint {
  std::uint64_t keys = 0;
  std::uint64_t sum = 0;
  std::uint64_t mixed = 0;  ///< sum of a hash of each
  friend bool operator==(const fingerprint&, const fingerprint&) = default;
};
[[nodiscard]] fingerprint fingerprint_of(std::span<const key> keys);

}  // namespace radixsort
