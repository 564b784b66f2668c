// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "apps/radixsort/buckets.hpp"
#include "upwash/base/random.hpp"

namespace {

using radixsort::key;

/// Of so many random bits: few bits give equal digits and whole passes of zeros.
std::vector<key> random_keys(std::size_t count, unsigned bits, std::uint64_t seed) {
  upwash::random_stream numbers(seed, 0);
  std::vector<key> keys(count);
  for (key& each : keys) each = numbers.next() >> (64 - bits);
  return keys;
}

std::vector<std::uint32_t> divided(const std::vector<std::uint32_t>& counts, std::size_t ranks) {
  std::vector<std::uint32_t> first(ranks + 1);
  radixsort::divide(counts, first);
  return first;
}

TEST(radixsort_divide, gives_each_rank_about_its_share_in_whole_buckets) {
  EXPECT_EQ(divided({1, 1, 1, 1, 1, 1}, 3), (std::vector<std::uint32_t>{0, 2, 4, 6}));
  EXPECT_EQ(divided({1, 1, 1, 1, 1}, 2), (std::vector<std::uint32_t>{0, 3, 5}));
  EXPECT_EQ(divided({9, 0, 0, 0}, 2), (std::vector<std::uint32_t>{0, 1, 4}));
  EXPECT_EQ(divided({0, 0, 0, 9}, 2), (std::vector<std::uint32_t>{0, 4, 4}));
  EXPECT_EQ(divided({2, 2}, 5), (std::vector<std::uint32_t>{0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(divided({0, 0, 0}, 2), (std::vector<std::uint32_t>{0, 0, 3}));
}

TEST(radixsort_divide, covers_all_buckets_and_no_rank_exceeds_its_share_by_more_than_a_bucket) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    upwash::random_stream numbers(seed, 0);
    const std::size_t ranks = 1 + numbers.below(40);
    std::vector<std::uint32_t> counts(1 + numbers.below(300));
    for (auto& each : counts) each = static_cast<std::uint32_t>(numbers.below(100));
    const auto keys = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    const auto first = divided(counts, ranks);
    ASSERT_EQ(first.front(), 0U);
    ASSERT_EQ(first.back(), counts.size());
    ASSERT_TRUE(std::is_sorted(first.begin(), first.end()));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto mine = std::accumulate(counts.begin() + first[rank],
                                        counts.begin() + first[rank + 1], std::uint64_t{0});
      EXPECT_LE(mine, keys / ranks + 1 + 100);
    }
    const auto rank_of = radixsort::rank_of_bucket(first);
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
      const auto rank = static_cast<std::size_t>(rank_of[bucket]);
      EXPECT_TRUE(first[rank] <= bucket && bucket < first[rank + 1]);
    }
  }
}

TEST(radixsort_order, four_passes_sort) {
  for (const unsigned bits : {1U, 9U, 20U, 33U, 64U}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      auto keys = random_keys(count, bits, 3);
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      std::vector<key> next;
      for (int pass = 0; pass < radixsort::passes; ++pass) {
        radixsort::order(keys, pass, next);
        keys.swap(next);
      }
      EXPECT_EQ(keys, expected) << count << " keys of " << bits << " bits";
    }
  }
}

TEST(radixsort_group, keeps_the_order_of_the_keys_of_a_rank) {
  const auto keys = random_keys(5000, 64, 4);
  std::vector<std::uint32_t> counts(radixsort::buckets);
  radixsort::count(keys, 2, counts);
  const auto rank_of = radixsort::rank_of_bucket(divided(counts, 7));
  const auto per_rank = radixsort::count_by_rank(keys, 2, rank_of, 7);
  std::vector<key> grouped(keys.size());
  radixsort::group(keys, 2, rank_of, per_rank, grouped);

  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), [&](key a, key b) {
    return rank_of[radixsort::digit_of(a, 2)] < rank_of[radixsort::digit_of(b, 2)];
  });
  EXPECT_EQ(grouped, expected);
  EXPECT_EQ(std::accumulate(per_rank.begin(), per_rank.end(), std::uint64_t{0}), keys.size());
}

TEST(radixsort_fingerprint, ignores_order_and_sees_changes) {
  auto keys = random_keys(100, 64, 5);
  const auto before = radixsort::fingerprint_of(keys);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(radixsort::fingerprint_of(keys), before);
  ++keys[3];
  --keys[4];  // the sum is the same
  EXPECT_NE(radixsort::fingerprint_of(keys), before);
  keys.pop_back();
  EXPECT_NE(radixsort::fingerprint_of(keys), before);
}

}  // namespace
