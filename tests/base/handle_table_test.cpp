// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/handle_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "upwash/base/random.hpp"

namespace upwash {
namespace {

TEST(handle_table, finds_what_was_entered_and_nothing_else) {
  handle_table<int> names;
  std::array<int, 3> things{};
  EXPECT_EQ(names.find(0), nullptr);
  EXPECT_EQ(names.find(1), nullptr);
  const auto first = names.enter(things[0]);
  const auto second = names.enter(things[1]);
  EXPECT_NE(first, 0U);
  EXPECT_EQ(names.find(first), &things[0]);
  EXPECT_EQ(names.find(second), &things[1]);
  EXPECT_EQ(names.find(0), nullptr);
  EXPECT_EQ(names.find(second + 1), nullptr);
  EXPECT_EQ(names.find(~std::uint64_t{0}), nullptr);
  EXPECT_EQ(names.find(reinterpret_cast<std::uint64_t>(&things[0])), nullptr);
}

TEST(handle_table, a_name_that_left_finds_nothing_though_its_place_is_used_again) {
  handle_table<int> names;
  std::array<int, 2> things{};
  const auto before = names.enter(things[0]);
  names.leave(before);
  EXPECT_EQ(names.find(before), nullptr);
  const auto after = names.enter(things[1]);
  EXPECT_NE(before, after);
  EXPECT_EQ(static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after));
  EXPECT_EQ(names.find(before), nullptr);
  EXPECT_EQ(names.find(after), &things[1]);
}

TEST(handle_table, agrees_with_a_map_whatever_comes_and_goes) {
  constexpr std::uint64_t seed = 4711;
  random_stream random(seed, 1);
  handle_table<int> names;
  std::vector<int> things(100);
  std::map<std::uint64_t, int*> alive;
  std::vector<std::uint64_t> all;
  for (int turn = 0; turn < 20'000; ++turn) {
    if (random.below(2) == 0 || alive.empty()) {
      int& what = things[random.below(things.size())];
      const auto name = names.enter(what);
      ASSERT_TRUE(alive.emplace(name, &what).second) << "seed " << seed << ", turn " << turn;
      all.push_back(name);
    } else {
      auto going = alive.begin();
      std::advance(going, random.below(std::min<std::size_t>(alive.size(), 8)));
      names.leave(going->first);
      alive.erase(going);
    }
    const auto asked = all[random.below(all.size())];
    const auto known = alive.find(asked);
    ASSERT_EQ(names.find(asked), known == alive.end() ? nullptr : known->second)
        << "seed " << seed << ", turn " << turn;
  }
}

}  // namespace
}  // namespace upwash
