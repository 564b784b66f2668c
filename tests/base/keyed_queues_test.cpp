// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/keyed_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/random.hpp"

namespace upwash {
namespace {

struct mixed {
  std::uint64_t operator()(std::uint64_t key) const noexcept {
    return (key ^ key >> 32U) * 0x9e3779b97f4a7c15U >> 7U;
  }
};
/// All keys but a few collide, and runs of places go around the end of the table.
struct poor {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return key % 3 == 0 ? ~0U : key; }
};

TEST(keyed_queues, gives_back_the_entries_of_a_key_in_their_order) {
  keyed_queues<std::uint64_t, int, mixed> kept;
  EXPECT_EQ(kept.first(5), nullptr);
  EXPECT_EQ(kept.take(5), std::nullopt);
  kept.push(5, 1);
  kept.push(6, 2);
  kept.push(5, 3);
  EXPECT_EQ(kept.size(), 3U);
  ASSERT_NE(kept.first(5), nullptr);
  EXPECT_EQ(*kept.first(5), 1);
  EXPECT_EQ(kept.take(5), 1);
  EXPECT_EQ(kept.take(5), 3);
  EXPECT_EQ(kept.take(5), std::nullopt);
  EXPECT_EQ(kept.take(6), 2);
  EXPECT_TRUE(kept.empty());
}

TEST(keyed_queues, lets_go_of_what_it_gave_back) {
  keyed_queues<std::uint64_t, std::shared_ptr<int>, mixed> kept;
  const auto one = std::make_shared<int>(1);
  kept.push(1, one);
  kept.push(2, one);
  EXPECT_EQ(one.use_count(), 3);
  static_cast<void>(kept.take(1));
  kept.erase_if([](std::uint64_t key, const auto& /*what*/) { return key == 2; });
  EXPECT_EQ(one.use_count(), 1);
}

TEST(keyed_queues, takes_what_is_wanted_in_the_order_of_coming) {
  keyed_queues<std::uint64_t, int, poor> kept;
  for (int i = 0; i < 30; ++i) kept.push(static_cast<std::uint64_t>(i % 7), i);
  std::vector<int> taken;
  kept.take_if([](std::uint64_t key, int what) { return key == 3 || what % 2 == 0; },
               [&taken](std::uint64_t /*key*/, int&& what) { taken.push_back(what); });
  std::vector<int> wanted;
  for (int i = 0; i < 30; ++i) {
    if (i % 7 == 3 || i % 2 == 0) wanted.push_back(i);
  }
  EXPECT_EQ(taken, wanted);
  EXPECT_EQ(kept.size(), 30 - wanted.size());
  EXPECT_EQ(kept.take(1), 1);
  EXPECT_EQ(kept.take(1), 15);
  EXPECT_EQ(kept.take(1), 29);
  EXPECT_EQ(kept.take(3), std::nullopt);
}

/// Equal keys of a multimap are in the order of their insertion.
template <class Hash>
void compare_with_a_multimap(std::uint64_t seed, std::uint64_t keys, std::uint64_t most) {
  random_stream random(seed, 1);
  keyed_queues<std::uint64_t, std::uint64_t, Hash> kept;
  std::multimap<std::uint64_t, std::uint64_t> reference;
  bool filling = true;
  for (std::uint64_t turn = 0; turn < 30'000; ++turn) {
    if (reference.empty()) filling = true;
    if (reference.size() > most) filling = false;
    const std::uint64_t key = random.below(keys);
    const std::uint64_t what = random.below(100);
    const auto found = reference.find(key);
    if (what == 0) {
      const auto wants = [&](std::uint64_t of, std::uint64_t value) {
        return of == key || value % 10 == turn % 10;
      };
      std::vector<std::uint64_t> taken;
      kept.take_if(wants, [&](std::uint64_t, std::uint64_t&& value) { taken.push_back(value); });
      std::vector<std::uint64_t> wanted;
      for (const auto& [of, value] : reference) {
        if (wants(of, value)) wanted.push_back(value);
      }
      std::erase_if(reference, [&](const auto& e) { return wants(e.first, e.second); });
      std::sort(wanted.begin(), wanted.end());  // values grow with the turns
      ASSERT_EQ(taken, wanted) << "seed " << seed << ", turn " << turn;
    } else if ((what < 60) == filling) {
      kept.push(key, turn);
      reference.emplace(key, turn);
    } else if (found == reference.end()) {
      ASSERT_EQ(kept.take(key), std::nullopt) << "seed " << seed << ", turn " << turn;
    } else {
      ASSERT_EQ(kept.take(key), found->second) << "seed " << seed << ", turn " << turn;
      reference.erase(found);
    }
    ASSERT_EQ(kept.size(), reference.size()) << "seed " << seed << ", turn " << turn;
    const std::uint64_t asked = random.below(keys);
    const auto known = reference.find(asked);
    const std::uint64_t* first = kept.first(asked);
    ASSERT_EQ(first != nullptr, known != reference.end()) << "seed " << seed << ", turn " << turn;
    if (first == nullptr) continue;
    ASSERT_EQ(*first, known->second) << "seed " << seed << ", turn " << turn;
  }
}

TEST(keyed_queues, agrees_with_a_multimap_whatever_comes_and_goes) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    compare_with_a_multimap<mixed>(seed, 1 + seed * seed * 40, 50 * seed);
    compare_with_a_multimap<poor>(seed, 1 + seed * 20, 10 * seed);
  }
}

}  // namespace
}  // namespace upwash
