// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a search looks at, counted, where nothing fits, so that all that may be looked at is
// (Ghazimirsaeed 2019, 4.3, equations 4.3 to 4.20).
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
  EXPECT_EQ(filled("per_source", side::unexpected).looks(0, any_source), all_entries);
}

TEST(equations_4_12_to_4_17, partners_are_searched_below_their_level_and_in_their_own_queue) {
  // Above 20 entries, so rank 0 of context 0 (10) and rank 1 (20, the first above): a level.
  filled f("partner_dynamic", side::unexpected, false, 20);
  const auto made = f.of->describe();
  ASSERT_GE(made.levels, 1U);
  ASSERT_GE(made.partners, 1U);
  // Everything lies somewhere: what is of partners and what is not make up all (equation 4.14).
  EXPECT_EQ(f.looks(0, any_source), all_entries);
  // A rank that sends nothing is no partner: all shared queues, and no other.
  const auto shared = f.looks(0, 8);
  EXPECT_LT(shared, all_entries);
  for (std::uint32_t k = 0; k < 2; ++k) {
    for (std::int32_t r = 0; r < 3; ++r) {
      EXPECT_LE(f.looks(k, r), shared + of_rank(k, static_cast<std::uint64_t>(r)));
    }
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
