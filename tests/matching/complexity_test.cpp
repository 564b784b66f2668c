// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a search looks at, counted, where nothing fits, so that all that may be looked at is
// (Ghazimirsaeed 2019, 4.3, equations 4.3 to 4.20, and 6.3, equations 6.1 to 6.3).
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <string_view>

#include "upwash/matching/store.hpp"

namespace upwash::matching {
namespace {

constexpr std::int32_t nowhere = 1 << 20;  ///< a tag that no entry has

/// 10 (k + 1) (r + 1) entries of rank r in context k, two contexts, three ranks.
constexpr std::uint64_t of_rank(std::uint64_t k, std::uint64_t r) { return 10 * (k + 1) * (r + 1); }
constexpr std::uint64_t all_entries = 60 + 120;
constexpr std::uint64_t any_source_entries = 7;

struct filled {
  filled(std::string_view partition, side which, bool wild = false, std::uint32_t threshold = 1000)
      : of(make_store("list", partition, which, shape_of(threshold))) {
    for (std::uint32_t k = 0; k < 2; ++k) {
      for (std::int32_t r = 0; r < 3; ++r) {
        for (std::uint64_t i = of_rank(k, static_cast<std::uint64_t>(r)); i > 0; --i) {
          add({k, r, static_cast<std::int32_t>(i), 0});
        }
      }
    }
    for (std::uint64_t i = 0; wild && i < any_source_entries; ++i) add({0, any_source, 1, 0});
  }
  static shape shape_of(std::uint32_t threshold) {
    shape s;
    s.ranks = 9;
    s.threshold = threshold;
    return s;
  }
  void add(const envelope& what) {
    held.emplace_back().what = what;
    of->insert(held.back());
  }
  std::uint64_t looks(std::uint32_t context, std::int32_t source) {
    const auto before = of->spent().traversals;
    EXPECT_EQ(of->find({context, source, nowhere, 0}), nullptr);
    return of->spent().traversals - before;
  }
  std::unique_ptr<store> of;
  std::deque<entry> held;
};

TEST(equations_4_3_to_4_8, a_list_is_searched_as_a_whole) {
  EXPECT_EQ(filled("single", side::posted).looks(0, 1), all_entries);
  EXPECT_EQ(filled("single", side::unexpected).looks(1, any_source), all_entries);
  EXPECT_EQ(filled("single", side::posted, true).looks(0, 1), all_entries + any_source_entries);
}

TEST(equations_4_9_to_4_11, arrays_by_source_are_searched_for_one_source) {
  for (std::uint32_t k = 0; k < 2; ++k) {
    for (std::int32_t r = 0; r < 3; ++r) {
      const auto own = of_rank(k, static_cast<std::uint64_t>(r));
      EXPECT_EQ(filled("per_source", side::unexpected).looks(k, r), own);
      EXPECT_EQ(filled("per_source", side::posted, true).looks(k, r), own + any_source_entries);
    }
  }
  // Equation 4.11: all ranks of one context.
  EXPECT_EQ(filled("per_source", side::unexpected).looks(0, any_source), 60U);
  EXPECT_EQ(filled("per_source", side::unexpected).looks(1, any_source), 120U);
}

/// Four ranks, edge points at the average of a queue of 21: 5.25. Level 0: 12 entries of rank 0, 6
/// of rank 1 and 3 of rank 2, so 0 and 1 become partners. Level 1: 17 of rank 2, which becomes one,
/// and 4 of rank 3. Level 2: 5 of rank 3. Then 7 of partner 0, 9 of partner 2.
struct levels {
  static constexpr std::uint64_t shared[] = {21, 21, 5};
  static constexpr std::uint64_t of_partner_0 = 7;
  static constexpr std::uint64_t of_partner_2 = 9;

  explicit levels(side which, bool wild = false) {
    shape s;
    s.ranks = 4;
    s.threshold = 20;
    s.partners = 4;
    of = make_store("list", "partner_dynamic", which, s);
    for (std::uint64_t i = 0; wild && i < any_source_entries; ++i) add(any_source, 1);
    constexpr int traffic[][2] = {{2, 3}, {1, 6}, {0, 12}, {3, 4}, {2, 17}, {3, 5}, {0, 7}, {2, 9}};
    for (const auto& [rank, count] : traffic) add(rank, count);
  }
  void add(std::int32_t rank, int count) {
    for (int i = 0; i < count; ++i) {
      held.emplace_back().what = {0, rank, 1, 0};
      of->insert(held.back());
    }
  }
  std::uint64_t looks(std::int32_t source) {
    const auto before = of->spent().traversals;
    EXPECT_EQ(of->find({0, source, nowhere, 0}), nullptr);
    return of->spent().traversals - before;
  }
  std::unique_ptr<store> of;
  std::deque<entry> held;
};

TEST(equations_4_12_to_4_14, partners_are_searched_below_their_level_and_in_their_own_queue) {
  levels f(side::unexpected);
  ASSERT_EQ(f.of->describe().levels, 2U);
  ASSERT_EQ(f.of->describe().partners, 3U);
  EXPECT_EQ(f.looks(3), 21U + 21 + 5);                     // 4.12: no partner, all levels
  EXPECT_EQ(f.looks(0), 21U + levels::of_partner_0);       // 4.13: a partner from level 0 on
  EXPECT_EQ(f.looks(2), 21U + 21 + levels::of_partner_2);  // 4.13: from level 1 on
  EXPECT_EQ(f.of->size(), 21U + 21 + 5 + 7 + 9);           // 4.14
  EXPECT_EQ(f.looks(any_source), f.of->size());            // 4.17
}

TEST(equations_4_15_and_4_16, receives_of_any_source_are_searched_too) {
  levels without(side::posted);
  levels with(side::posted, true);
  ASSERT_EQ(with.of->describe().levels, 2U);
  for (const std::int32_t rank : {3, 0, 2}) {
    EXPECT_EQ(with.looks(rank), without.looks(rank) + any_source_entries) << rank;
  }
}

/// `blocks` arrays of 64, of which `kept` entries each are left: the first and the last, or all.
struct holed {
  explicit holed(int blocks, bool wild = false, int kept = 2)
      : of(make_store("arrays", "single", side::posted, {})) {
    std::deque<entry*> middle;
    for (int i = 0; i < blocks * 64; ++i) {
      held.emplace_back().what = {0, wild && i % 64 == 0 ? any_source : 1, 1, 0};
      of->insert(held.back());
      if (kept == 2 && i % 64 != 0 && i % 64 != 63) middle.push_back(&held.back());
    }
    for (entry* each : middle) of->erase(*each);
  }
  /// Places looked at, those that are empty too.
  std::uint64_t places() {
    const costs before = of->spent();
    EXPECT_EQ(of->find({0, 1, nowhere, 0}), nullptr);
    const costs after = of->spent();
    return after.traversals + after.holes - before.traversals - before.holes;
  }
  std::unique_ptr<store> of;
  std::deque<entry> held;
};

TEST(equations_6_1_to_6_3, arrays_with_two_entries_each_are_passed_as_a_whole) {
  for (const int blocks : {1, 10, 20}) {
    holed worst(blocks);
    const std::uint64_t q = worst.of->size();
    ASSERT_EQ(q, 2U * static_cast<unsigned>(blocks));
    EXPECT_EQ(worst.places(), q / 2 * 64);                // 6.1
    EXPECT_EQ(holed(blocks, true).places(), q / 2 * 64);  // 6.2: a of the q are wild
    EXPECT_EQ(holed(blocks, false, 64).places(), 64U * static_cast<unsigned>(blocks));
    // 6.3: an array for two entries, however many there are.
    EXPECT_EQ(worst.of->describe().bytes, holed(blocks, false, 64).of->describe().bytes);
  }
}

TEST(equations_4_18_to_4_20, memory_grows_with_the_root_of_the_ranks_for_partners) {
  const auto bytes = [](std::string_view partition, int ranks) {
    shape s;
    s.ranks = ranks;
    s.threshold = 50;
    const auto of = make_store("list", partition, side::unexpected, s);
    std::deque<entry> held;
    for (int i = 0; i < ranks; ++i) {
      held.emplace_back().what = {0, i, 0, 0};
      of->insert(held.back());
    }
    const auto all = static_cast<double>(of->describe().bytes);
    for (auto& each : held) of->erase(each);
    return all;
  };
  EXPECT_EQ(bytes("single", 10'000), bytes("single", 100));
  EXPECT_NEAR(bytes("per_source", 10'000) / bytes("per_source", 100), 100, 20);
  EXPECT_LT(bytes("partner_dynamic", 10'000) / bytes("partner_dynamic", 100), 12);
}

}  // namespace
}  // namespace upwash::matching
