// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of early messages and waiting steps, and the queue of events, against simple ones.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/simulator/detail/early_and_waiting.hpp"
#include "upwash/simulator/detail/replay_parcel.hpp"

namespace {

using namespace upwash;
using simulator::detail::early_and_waiting;
using simulator::detail::event;
using simulator::detail::event_heap;
using simulator::detail::happening;
using side = early_and_waiting::side;

using key_words = std::tuple<int, std::uint32_t, bool>;

early_and_waiting::key key_of(const key_words& words) {
  return {std::get<0>(words), std::get<1>(words), std::get<2>(words)};
}

}  // namespace

TEST(early_and_waiting, finds_what_a_map_of_queues_finds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    random_stream random(seed, 0);
    early_and_waiting table;
    std::map<key_words, std::deque<std::uint32_t>> messages;
    std::map<key_words, std::deque<std::uint32_t>> steps;
    const std::uint64_t sources = 1 + random.below(40);
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const bool is_step = random.below(2) == 0;
      auto& mine = is_step ? steps : messages;
      auto& others = is_step ? messages : steps;
      const key_words words{static_cast<int>(random.below(sources) * 1'000'003 % 0x7fffffffU),
                            static_cast<std::uint32_t>(random.below(5)), random.below(4) == 0};
      const auto found = table.take(key_of(words), is_step ? side::message : side::step);
      if (others[words].empty()) {
        ASSERT_FALSE(found);
        table.keep(key_of(words), is_step ? side::step : side::message, i);
        mine[words].push_back(i);
      } else {
        ASSERT_EQ(found, others[words].front());
        others[words].pop_front();
      }
    }
    std::vector<std::uint32_t> expected;
    for (auto& [words, kept] : messages) {
      if (std::get<1>(words) != 3 || std::get<2>(words)) continue;
      expected.insert(expected.end(), kept.begin(), kept.end());
      kept.clear();
    }
    EXPECT_EQ(table.take_messages(3), expected);
    for (const auto& [words, kept] : messages) {
      for (const std::uint32_t each : kept) {
        ASSERT_EQ(table.take(key_of(words), side::message), each);
      }
    }
    EXPECT_FALSE(table.has(side::message));
  }
}

TEST(event_heap, gives_events_in_order) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    random_stream random(seed, 0);
    event_heap heap;
    std::multiset<event> expected;
    for (std::uint32_t i = 0; i < 2000; ++i) {
      if (random.below(5) < 3) {
        const event fresh(static_cast<std::int64_t>(random.below(50)),
                          static_cast<int>(random.below(3)),
                          static_cast<std::uint32_t>(random.below(3)), i, happening::reaches, i);
        heap.push(fresh);
        expected.insert(fresh);
      } else if (!expected.empty()) {
        ASSERT_EQ(heap.next_ps(), expected.begin()->at_ps);
        ASSERT_EQ(heap.pop().number, expected.begin()->number);
        expected.erase(expected.begin());
      }
      ASSERT_EQ(heap.empty(), expected.empty());
    }
  }
}
