// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What profiles become, by hand-worked examples, and what the partitions make of traffic.
#include "upwash/matching/partitions/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "upwash/base/random.hpp"
#include "upwash/matching/partitions/unified.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching {
namespace {

using numbers = std::vector<std::uint64_t>;
using clusters = std::vector<std::uint32_t>;

TEST(clusters, by_sum_follow_algorithm_3_1) {
  // Average 40.5, deviation 39.2 (population): a cluster closes when its sum exceeds 79.7.
  EXPECT_EQ(cluster_by_sum(numbers{100, 2, 50, 10}), (clusters{0, 0, 0, 0}));
  // Average 25, deviation 43.3: closes above 68.3; sorted, the large one comes last.
  EXPECT_EQ(cluster_by_sum(numbers{100, 0, 0, 0}), (clusters{0, 0, 0, 0}));
  // Average 10, deviation 0: closes above 10, so at every second source.
  EXPECT_EQ(cluster_by_sum(numbers{10, 10, 10, 10, 10}), (clusters{0, 0, 1, 1, 2}));
  EXPECT_TRUE(cluster_by_sum({}).empty());
}

TEST(clusters, by_sum_hold_at_most_average_and_deviation_before_the_last) {
  random_stream draw(11, 0);
  numbers entries(300);
  for (auto& each : entries) each = draw.below(1000);
  const auto cluster = cluster_by_sum(entries);
  const double n = 300;
  const double average =
      static_cast<double>(std::accumulate(entries.begin(), entries.end(), 0U)) / n;
  double squares = 0;
  for (const auto e : entries)
    squares += (static_cast<double>(e) - average) * (static_cast<double>(e) - average);
  const double bound = average + std::sqrt(squares / n);
  std::vector<double> sums(*std::max_element(cluster.begin(), cluster.end()) + 1, 0);
  std::vector<double> largest(sums.size(), 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    sums[cluster[i]] += static_cast<double>(entries[i]);
    largest[cluster[i]] = std::max(largest[cluster[i]], static_cast<double>(entries[i]));
  }
  ASSERT_GT(sums.size(), 50U);
  for (std::size_t c = 0; c < sums.size(); ++c) EXPECT_LE(sums[c] - largest[c], bound) << c;
}

TEST(clusters, by_means_separate_groups_of_like_sources) {
  const numbers entries{2, 100, 3, 101, 50, 1, 99, 51};
  EXPECT_EQ(cluster_by_means(entries, 3), (clusters{0, 1, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(cluster_by_means(entries, 1), clusters(8, 0));
  // More clusters than different sources: no empty ones, and like sources stay together.
  EXPECT_EQ(cluster_by_means(numbers{5, 5, 9}, 8), (clusters{0, 0, 1}));
}

shape metric(edge_metric which, double alpha = 1) {
  shape s;
  s.metric = which;
  s.alpha = alpha;
  return s;
}

TEST(partners, edge_points_count_sources_without_entries) {
  const numbers entries{1, 2, 3, 4, 90};
  EXPECT_EQ(edge_point(entries, 5, metric(edge_metric::average)), 20);
  EXPECT_EQ(edge_point(entries, 100, metric(edge_metric::average)), 1);
  EXPECT_EQ(edge_point(entries, 5, metric(edge_metric::median)), 3);
  EXPECT_EQ(edge_point(entries, 100, metric(edge_metric::median)), 0);
  // Q1 = 2, Q3 = 4 by nearest rank.
  EXPECT_EQ(edge_point(entries, 5, metric(edge_metric::upper_fence)), 6);
  EXPECT_EQ(edge_point(entries, 5, metric(edge_metric::upper_fence, 0)), 4);
  EXPECT_EQ(edge_point({}, 0, metric(edge_metric::average)), 0);
}

TEST(partners, are_those_above_the_edge_point_and_most_frequent_first) {
  const std::vector<counted_key> counted{{7, 4}, {3, 90}, {9, 50}, {1, 50}};
  // Average 48.5.
  EXPECT_EQ(select_partners(counted, 4, metric(edge_metric::average), 10), (numbers{3, 1, 9}));
  EXPECT_EQ(select_partners(counted, 4, metric(edge_metric::average), 2), (numbers{3, 1}));
}

TEST(partners, static_table_finds_every_key_and_no_other) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    random_stream draw(seed, 0);
    std::set<std::uint64_t> drawn;
    const std::uint64_t range = 1 + draw.below(5000);
    for (std::uint64_t i = draw.below(200); i > 0; --i) drawn.insert(draw.below(range));
    const numbers keys(drawn.begin(), drawn.end());
    const perfect_hash table(keys);
    std::set<std::int64_t> indices;
    for (std::uint64_t key = 0; key < range + 300; ++key) {
      const std::int64_t at = table.locate(key);
      ASSERT_EQ(at >= 0, drawn.contains(key)) << "seed " << seed << " key " << key;
      if (at >= 0) {
        ASSERT_EQ(keys[static_cast<std::size_t>(at)], key) << "seed " << seed;
        indices.insert(at);
      }
    }
    EXPECT_EQ(indices.size(), keys.size());
  }
}

/// A store and entries put into it.
struct filled {
  filled(std::string_view engine, std::string_view partition, const shape& s)
      : of(make_store(engine, partition, side::unexpected, s)) {}
  void add(const envelope& what) {
    held.push_back(std::make_unique<entry>());
    held.back()->what = what;
    of->insert(*held.back());
  }
  std::uint64_t traversals_of(const envelope& what) {
    const auto before = of->spent().traversals;
    EXPECT_NE(of->take(what), nullptr);
    return of->spent().traversals - before;
  }
  std::unique_ptr<store> of;
  std::vector<std::unique_ptr<entry>> held;
};

TEST(partners, dynamic_levels_come_when_the_shared_queue_is_longer_than_t) {
  shape s;
  s.ranks = 100;
  s.threshold = 10;
  filled f("list", "partner_dynamic", s);
  for (int i = 0; i < 10; ++i) f.add({0, i % 5, i, 0});
  EXPECT_EQ(f.of->describe().levels, 0U);
  f.add({0, 1, 10, 0});  // 11 entries of 5 sources among 100: all 5 are above the average of 0.11
  EXPECT_EQ(f.of->describe().levels, 1U);
  EXPECT_EQ(f.of->describe().partners, 5U);
  EXPECT_EQ(f.of->describe().queues, 7U);  // initial, 5 partners, shared
  f.add({0, 3, 500, 0});
  // The initial queue is searched first, then the partner's own.
  EXPECT_EQ(f.traversals_of({0, 3, 500, 0}), 12U);
}

TEST(partners, dynamic_ones_are_at_most_c_times_the_root_of_the_ranks) {
  shape s;
  s.ranks = 10'000;
  s.threshold = 50;
  s.partners = 2;
  filled f("list", "partner_dynamic", s);
  for (int i = 0; i < 10'000; ++i) f.add({0, i, 0, 0});
  EXPECT_EQ(f.of->describe().partners, 200U);
}

TEST(unified, queues_of_a_collective_are_as_many_as_its_searches_were_long) {
  shape s;
  s.ranks = 64;
  s.queues = 4;  // at most 32 queues
  filled f("list", "unified", s);
  const std::uint32_t gather = collective_kind(3, 8, 64);
  for (int i = 0; i < 32; ++i) f.add({5, i, 0, gather});
  for (int i = 31; i >= 0; --i) f.traversals_of({5, i, 0, gather});  // reverse: 16.5 on average
  EXPECT_EQ(f.of->describe().levels, 0U);
  constexpr std::int32_t second = 1 << call_shift;
  for (int i = 0; i < 32; ++i) f.add({5, i, second, gather});
  EXPECT_EQ(f.of->describe().levels, 1U);
  EXPECT_EQ(f.of->describe().queues, 1 + 1 + 17U);  // of users, of profiling, of the gather
  std::uint64_t all = 0;
  for (int i = 31; i >= 0; --i) all += f.traversals_of({5, i, second, gather});
  EXPECT_LE(all, 2 * 32U);
}

TEST(unified, the_first_call_is_profiled_to_its_end) {
  shape s;
  s.ranks = 1024;
  s.queues = 4;
  filled f("list", "unified", s);
  const std::uint32_t gather = collective_kind(3, 8, 1024);
  // Half of the first call comes one by one, so that the queue drains; the rest comes at once.
  for (int i = 0; i < 40; ++i) {
    f.add({5, i, 0, gather});
    f.traversals_of({5, i, 0, gather});
  }
  for (int i = 40; i < 80; ++i) f.add({5, i, 0, gather});
  for (int i = 79; i >= 40; --i) f.traversals_of({5, i, 0, gather});
  EXPECT_EQ(f.of->describe().levels, 0U);
  f.add({5, 0, 1 << call_shift, gather});
  // 40 searches of 1 and 40 of 20.5 on average: 10.75.
  EXPECT_EQ(f.of->describe().queues, 1 + 1 + 11U);
}

TEST(partners, static_ones_are_sources_in_a_context) {
  shape s;
  s.ranks = 100;
  for (const std::uint32_t context : {3U, 8U}) {
    for (std::int32_t source = 0; source < 100; ++source) {
      s.by_context.push_back({context, source, source == 7 ? 1000U : 1U});
    }
  }
  filled f("list", "partner_static", s);
  EXPECT_EQ(f.of->describe().partners, 2U);
  for (const std::uint32_t context : {3U, 8U, 9U}) {
    for (int i = 0; i < 50; ++i) f.add({context, 7, i, 0});
  }
  f.add({8, 2, 0, 0});
  EXPECT_EQ(f.traversals_of({8, 7, 49, 0}), 50U);  // its own queue, in its own context
  // Context 9 is not in the profile: its 50 lie in the shared queue, before this one.
  EXPECT_EQ(f.traversals_of({8, 2, 0, 0}), 51U);
}

TEST(unified, queues_of_collectives_are_bounded) {
  shape s;
  s.ranks = 16;
  s.queues = 1;  // at most 4, where 9 would be wanted
  filled f("list", "unified", s);
  const std::uint32_t gather = collective_kind(3, 8, 16);
  for (int round = 0; round < 3; ++round) {
    const std::int32_t tag = round << call_shift;
    for (int i = 0; i < 16; ++i) f.add({5, i, tag, gather});
    for (int i = 15; i >= 0; --i) f.traversals_of({5, i, tag, gather});
  }
  EXPECT_EQ(f.of->describe().levels, 1U);
  EXPECT_EQ(f.of->describe().queues, 1 + 1 + 4U);
}

TEST(matching_memory, of_a_million_ranks_and_a_hundred_partners_is_below_64_kib) {
  shape s;
  s.ranks = 1'000'000;
  for (const auto& [engine, partition] :
       {std::pair{"adaptive", "single"}, {"list", "partner_dynamic"}, {"list", "rank4d"}}) {
    filled f(engine, partition, s);
    for (int i = 0; i < 400; ++i) f.add({0, i % 100 * 9'999, i, 0});
    EXPECT_LT(f.of->describe().bytes, 64U << 10U) << engine << '/' << partition;
  }
  filled as_open_mpi("list", "per_source", s);
  as_open_mpi.add({0, 1, 1, 0});
  EXPECT_GT(as_open_mpi.of->describe().bytes, 4'000'000U);  // what it is compared with
}

TEST(matching_cost, of_the_default_is_a_few_looks_at_any_depth_and_mix) {
  for (const int wild_percent : {0, 1, 10, 50}) {
    auto of = make_store(default_engine, default_partition, side::posted, {});
    std::vector<entry> held(16'384);
    for (int i = 0; i < 16'384; ++i) {
      auto& e = held[static_cast<std::size_t>(i)];
      e.what = {0, i % 100 < wild_percent ? any_source : i % 64, i, 0};
      of->insert(e);
    }
    for (int i = 16'383; i >= 0; --i) ASSERT_NE(of->take({0, i % 64, i, 0}), nullptr);
    // Two looks each, and those at the list of the newest that are searched for first.
    EXPECT_LE(of->spent().traversals, 2U * 16'384 + 8 * 8) << wild_percent;
  }
}

}  // namespace
}  // namespace upwash::matching
