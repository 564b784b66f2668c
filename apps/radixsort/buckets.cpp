// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radixsort/buckets.hpp"

#include <algorithm>
#include <numeric>

#include "upwash/base/random.hpp"

namespace radixsort {

void count(std::span<const key> keys, int pass, std::span<std::uint32_t> counts) {
  for (const key each : keys) ++counts[digit_of(each, pass)];
}

void divide(std::span<const std::uint32_t> counts, std::span<std::uint32_t> first) {
  const std::uint64_t ranks = first.size() - 1;
  const std::uint64_t keys = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::uint64_t before = 0;
  std::uint32_t bucket = 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    first[rank] = bucket;
    // Up to the bucket with which this rank and those before have their share.
    while (bucket < counts.size() && before * ranks < keys * (rank + 1)) before += counts[bucket++];
  }
  first[ranks] = static_cast<std::uint32_t>(counts.size());
}

std::vector<int> rank_of_bucket(std::span<const std::uint32_t> first) {
  std::vector<int> rank_of(first.back());
  for (std::size_t rank = 0; rank + 1 < first.size(); ++rank) {
    std::fill(rank_of.begin() + first[rank], rank_of.begin() + first[rank + 1],
              static_cast<int>(rank));
  }
  return rank_of;
}

std::vector<std::uint64_t> count_by_rank(std::span<const key> keys, int pass,
                                         std::span<const int> rank_of, int ranks) {
  std::vector<std::uint64_t> per_rank(static_cast<std::size_t>(ranks));
  for (const key each : keys) {
    ++per_rank[static_cast<std::size_t>(rank_of[digit_of(each, pass)])];
  }
  return per_rank;
}

void group(std::span<const key> keys, int pass, std::span<const int> rank_of,
           std::span<const std::uint64_t> per_rank, std::span<key> grouped) {
  std::vector<std::uint64_t> next(per_rank.size());
  std::exclusive_scan(per_rank.begin(), per_rank.end(), next.begin(), std::uint64_t{0});
  for (const key each : keys) {
    grouped[next[static_cast<std::size_t>(rank_of[digit_of(each, pass)])]++] = each;
  }
}

void order(std::span<const key> keys, int pass, std::vector<key>& ordered) {
  std::vector<std::uint32_t> next(buckets);
  count(keys, pass, next);
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::uint32_t{0});
  ordered.resize(keys.size());
  for (const key each : keys) ordered[next[digit_of(each, pass)]++] = each;
}

fingerprint fingerprint_of(std::span<const key> keys) {
  fingerprint all{.keys = keys.size()};
  for (const key each : keys) {
    all.sum += each;
    all.mixed += upwash::random_bits(1, 0, each);
  }
  return all;
}

}  // namespace radixsort
