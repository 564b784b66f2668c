// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The orderings in the figures of Ghazimirsaeed 2019, by entries looked at for a search (its
// figures 3.5 and 3.6 count the same), so that no clock takes part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching {
namespace {

using envelopes = std::vector<envelope>;

struct outcome {
  double looks = 0;  ///< entries looked at for a search, on average
  double holes = 0;
  division made;
};

/// As in that round: the calls of a collective have different tags.
envelope in_round(envelope what, int round) {
  if (what.kind != 0) what.tag += round << call_shift;
  return what;
}

/// Fills and drains a store `rounds` times; what the last round cost.
outcome drain(std::string_view engine, std::string_view partition, const shape& s,
              const envelopes& inserted, const envelopes& sought, int rounds = 1) {
  const auto of = make_store(engine, partition, side::unexpected, s);
  std::vector<entry> held(inserted.size());
  costs before;
  for (int round = 0; round < rounds; ++round) {
    before = of->spent();
    for (std::size_t i = 0; i < held.size(); ++i) {
      held[i].what = in_round(inserted[i], round);
      of->insert(held[i]);
    }
    for (const auto& wanted : sought) EXPECT_NE(of->take(in_round(wanted, round)), nullptr);
  }
  const auto n = static_cast<double>(sought.size());
  return {static_cast<double>(of->spent().traversals - before.traversals) / n,
          static_cast<double>(of->spent().holes - before.holes) / n, of->describe()};
}

envelopes reversed(envelopes all) {
  std::reverse(all.begin(), all.end());
  return all;
}

/// Every source sends `each` messages, in turn.
envelopes rounds_of(int sources, int each, std::uint32_t kind = 0) {
  envelopes all;
  for (int m = 0; m < each; ++m) {
    for (int s = 0; s < sources; ++s) all.push_back({0, s, m, kind});
  }
  return all;
}

TEST(figure_3_1, two_queues_halve_a_reverse_search) {
  for (const int each : {10, 50, 100}) {
    shape s;
    s.ranks = 16;
    s.clusters = 2;
    for (int i = 0; i < 16; ++i) s.profile.push_back(i < 8 ? 0 : 1000);
    const auto all = rounds_of(16, each);
    const double one = drain("list", "single", s, all, reversed(all)).looks;
    const double two = drain("list", "clustered_means", s, all, reversed(all)).looks;
    EXPECT_NEAR(one / two, 2, 0.1) << each;
  }
}

/// Four groups of eight that send 2, 10, 50, 100 messages; `queue` of each group.
double looks_with_groups(const std::vector<std::uint64_t>& queue) {
  constexpr int sends[] = {2, 10, 50, 100};
  shape s;
  s.ranks = 32;
  s.clusters = static_cast<std::uint32_t>(*std::max_element(queue.begin(), queue.end())) + 1;
  for (int i = 0; i < 32; ++i) s.profile.push_back(1000 * queue[static_cast<std::size_t>(i / 8)]);
  envelopes all;
  for (int m = 0; m < 100; ++m) {
    for (int i = 0; i < 32; ++i) {
      if (m < sends[i / 8]) all.push_back({0, i, m, 0});
    }
  }
  return drain("list", "clustered_means", s, all, reversed(all)).looks;
}

TEST(figure_3_2, clusterings_3_and_4_are_as_good_as_four_queues_and_5_as_bad_as_one) {
  const double one = looks_with_groups({0, 0, 0, 0});
  const double four = looks_with_groups({0, 1, 2, 3});
  const double third = looks_with_groups({0, 1, 1, 0});
  const double fourth = looks_with_groups({0, 0, 0, 1});
  const double fifth = looks_with_groups({1, 0, 0, 0});
  EXPECT_LT(third, 1.15 * four);
  EXPECT_LT(fourth, 1.15 * four);
  EXPECT_GT(fifth, 0.95 * one);
  for (const auto& other :
       {std::vector<std::uint64_t>{0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}}) {
    EXPECT_GT(looks_with_groups(other), std::min(third, fourth));
  }
}

/// All ranks send to one, some more than others: FDS at rank 0.
struct fan_in {
  explicit fan_in(int ranks) {
    s.ranks = ranks;
    s.profile.assign(static_cast<std::size_t>(ranks), 0);
    random_stream draw(3, 0);
    for (int i = 1; i < ranks; ++i) {
      const auto sends = 1 + draw.below(4);
      s.profile[static_cast<std::size_t>(i)] = sends;
      for (std::uint64_t m = 0; m < sends; ++m) {
        all.push_back({0, i, static_cast<std::int32_t>(m), 0});
      }
    }
  }
  shape s;
  envelopes all;
};

TEST(figure_3_9, heuristic_beats_k_means_by_far_on_fds_and_both_beat_a_list) {
  fan_in f(1024);
  const double list = drain("list", "single", f.s, f.all, reversed(f.all)).looks;
  const double sum = drain("list", "clustered_sum", f.s, f.all, reversed(f.all)).looks;
  const double means = drain("list", "clustered_means", f.s, f.all, reversed(f.all)).looks;
  EXPECT_GT(list / means, 1.5);
  EXPECT_GT(list / sum, 10 * list / means);
}

// Published: at best around 2, by 8 or 16 clusters, or by 128.
TEST(figure_3_10, k_means_gains_little_with_any_number_of_clusters) {
  fan_in f(1024);
  const double list = drain("list", "single", f.s, f.all, reversed(f.all)).looks;
  for (const std::uint32_t k : {8, 16, 128}) {
    f.s.clusters = k;
    const double gain = list / drain("list", "clustered_means", f.s, f.all, reversed(f.all)).looks;
    EXPECT_GT(gain, 1.5) << k;
    EXPECT_LT(gain, 5) << k;
  }
}

TEST(figure_4_8, lower_thresholds_and_wider_bounds_give_more_levels) {
  fan_in f(2048);
  const auto levels = [&](std::uint32_t t, std::uint32_t c) {
    f.s.threshold = t;
    f.s.partners = c;
    return drain("list", "partner_dynamic", f.s, f.all, reversed(f.all)).made.levels;
  };
  EXPECT_GT(levels(100, 16), levels(400, 16));
  EXPECT_GT(levels(400, 16), levels(1600, 16));
  EXPECT_LT(levels(100, 1), levels(100, 16));
}

TEST(figure_4_5, lower_thresholds_look_at_fewer) {
  fan_in f(2048);
  f.s.partners = 1000;  // no bound, as in the figure
  const auto looks = [&](std::uint32_t t) {
    f.s.threshold = t;
    return drain("list", "partner_dynamic", f.s, f.all, reversed(f.all)).looks;
  };
  const double list = drain("list", "single", f.s, f.all, reversed(f.all)).looks;
  const double t100 = looks(100);
  const double t200 = looks(200);
  const double t500 = looks(500);
  EXPECT_LT(t100, t200);
  EXPECT_LT(t200, t500);
  EXPECT_LT(t500, list);
}

TEST(figure_4_7, a_wider_bound_on_partners_looks_at_fewer) {
  fan_in f(4096);
  double before = drain("list", "single", f.s, f.all, reversed(f.all)).looks;
  for (const std::uint32_t c : {1, 4, 16}) {
    f.s.partners = c;
    const auto now = drain("list", "partner_dynamic", f.s, f.all, reversed(f.all), 2);
    EXPECT_LT(now.looks, before) << c;
    EXPECT_LE(now.made.partners, 64U * c);
    before = now.looks;
  }
}

TEST(figure_4_9, more_ranks_give_more_partners) {
  std::size_t before = 0;
  for (const int ranks : {512, 1024, 2048}) {
    fan_in f(ranks);
    f.s.partners = 1000;
    const auto made = drain("list", "partner_dynamic", f.s, f.all, reversed(f.all)).made;
    EXPECT_GT(made.partners, before);
    before = made.partners;
  }
}

TEST(figure_5_4, gather_reaches_the_bound_and_gains_more_with_more_ranks) {
  double before = 1;
  for (const int ranks : {1024, 2048, 4096}) {
    shape s;
    s.ranks = ranks;
    s.queues = 1;
    const auto all = rounds_of(ranks, 1, collective_kind(4, 8, static_cast<std::uint32_t>(ranks)));
    const double list = drain("list", "single", s, all, reversed(all)).looks;
    const auto now = drain("list", "unified", s, all, reversed(all), 2);
    EXPECT_EQ(now.made.queues, 2 + static_cast<std::size_t>(std::sqrt(ranks)));
    EXPECT_GT(list / now.looks, before);
    before = list / now.looks;
  }
}

TEST(figure_6_3, middle_search_leaves_holes_and_both_ends_leave_none) {
  const auto all = rounds_of(1, 60);
  envelopes middle;
  for (int i = 0; i < 60; ++i)
    middle.push_back(all[static_cast<std::size_t>(30 + (i % 2 == 0 ? i / 2 : -(i + 1) / 2))]);
  EXPECT_GT(drain("arrays", "single", {}, all, middle).holes, 10);
  EXPECT_EQ(drain("arrays", "single", {}, all, all).holes, 0);
  EXPECT_EQ(drain("arrays", "single", {}, all, reversed(all)).holes, 0);
}

TEST(figure_6_7, forward_search_looks_at_one_entry_and_reverse_at_half) {
  const auto all = rounds_of(4, 256);
  for (const std::string_view engine : {"list", "arrays", "arrays_line", "arrays_l1"}) {
    EXPECT_EQ(drain(engine, "single", {}, all, all).looks, 1) << engine;
    EXPECT_EQ(drain(engine, "single", {}, all, reversed(all)).looks, 512.5) << engine;
  }
}

}  // namespace
}  // namespace upwash::matching
