// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bucket queue against a sorted set, over events near and far, in lines and not.
#include "upwash/simulator/network/event_queue.hpp"

#include <gtest/gtest.h>

#include <set>

#include "upwash/base/random.hpp"

namespace {

using upwash::simulator::event_queue;

TEST(network_event_queue, takes_events_in_the_order_of_a_sorted_set) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    upwash::random_stream random(seed, 0);
    const std::int64_t apart = std::int64_t{1} << random.below(12);
    event_queue queue(apart, static_cast<std::int64_t>(random.below(1U << 16U)) + 1);
    std::multiset<event_queue::event> oracle;
    const bool lined = seed % 2 == 1;
    std::int64_t now = 0;
    for (int i = 0; i < 4000; ++i) {
      if (random.below(100) < 55) {
        const std::uint64_t reach = std::uint64_t{1}
                                    << random.below(random.below(8) == 0 ? 34 : 14);
        const std::int64_t at = now + static_cast<std::int64_t>(random.below(reach));
        const auto key = static_cast<std::uint32_t>(random.below(5));
        const auto fresh =
            event_queue::event::of(at, key, static_cast<std::uint32_t>(random.below(3)));
        if (lined && random.below(3) != 0) {
          queue.push_behind(static_cast<unsigned>(random.below(event_queue::lines)), fresh);
        } else {
          queue.push(fresh);
        }
        oracle.insert(fresh);
      } else {
        event_queue::event next;
        const std::int64_t until = now + static_cast<std::int64_t>(random.below(1U << 14U));
        const bool expected = !oracle.empty() && oracle.begin()->at_ps <= until;
        ASSERT_EQ(queue.pop(until, next), expected);
        if (!expected) continue;
        ASSERT_EQ(next.at_ps, oracle.begin()->at_ps);
        ASSERT_EQ(next.key(), oracle.begin()->key());
        ASSERT_EQ(next.value(), oracle.begin()->value());
        oracle.erase(oracle.begin());
        now = next.at_ps;
      }
      ASSERT_EQ(queue.empty(), oracle.empty());
      ASSERT_EQ(queue.next_ps(), oracle.empty() ? INT64_MAX : oracle.begin()->at_ps);
    }
  }
}

}  // namespace
