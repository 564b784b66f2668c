// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The pricer's queue of events and its table of meetings against plain ones, at random.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "upwash/base/duration.hpp"
#include "upwash/base/random.hpp"
#include "upwash/schedule/detail/price/event_queue.hpp"
#include "upwash/schedule/detail/price/meeting.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule::detail;

struct happening {
  duration at;
  std::uint64_t who = 0;
  friend bool operator<(const happening& a, const happening& b) { return a.who < b.who; }
};

}  // namespace

TEST(event_queue, gives_events_in_the_order_of_time_and_of_their_own) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    random_stream random(seed, 1);
    event_queue<happening> queue;
    std::set<std::pair<std::int64_t, std::uint64_t>> wanted;
    std::int64_t now = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      if (wanted.empty() || random.below(3) != 0) {
        const auto at =
            now + static_cast<std::int64_t>(random.below(seed % 2 == 0 ? 4 : 1U << 20U));
        const std::uint64_t who = random.next() % 97 * 10'000 + i;
        queue.push({duration::from_ps(at), who});
        wanted.emplace(at, who);
      } else {
        const happening first = queue.pop();
        ASSERT_EQ(std::pair(first.at.ps(), first.who), *wanted.begin());
        now = first.at.ps();
        wanted.erase(wanted.begin());
      }
      ASSERT_EQ(queue.empty(), wanted.empty());
      if (i == 1000) {
        decltype(wanted) shifted;
        for (const auto& [at, who] : wanted) {
          shifted.emplace(at + static_cast<std::int64_t>(who % 7), who);
        }
        wanted = shifted;
        queue.change([](happening& each) {
          each.at += duration::from_ps(static_cast<std::int64_t>(each.who % 7));
        });
      }
    }
  }
}

TEST(meetings, keeps_whoever_comes_first_in_the_order_of_coming) {
  using side = meetings::side;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    random_stream random(seed, 2);
    meetings table;
    std::map<std::tuple<int, int, std::uint32_t, bool>, std::pair<side, std::deque<std::uint64_t>>>
        plain;
    for (std::uint64_t who = 0; who < 5000; ++who) {
      const meeting_key key{static_cast<int>(random.below(20)), static_cast<int>(random.below(9)),
                            static_cast<std::uint32_t>(random.below(3)), random.below(2) == 0};
      const side from = random.below(2) == 0 ? side::message : side::waiting;
      auto& [of, queue] = plain[{key.at, key.from, key.edge, key.invitation}];
      const auto met = table.meet(key, from, who);
      if (queue.empty() || of == from) {
        ASSERT_EQ(met, std::nullopt);
        of = from;
        queue.push_back(who);
      } else {
        ASSERT_EQ(met, queue.front());
        queue.pop_front();
      }
      if (who % 500 != 0) continue;
      std::multiset<std::uint64_t> wanted;
      for (auto& [where, kept] : plain) {
        const auto& [at, source, edge, invites] = where;
        if (at != 3 || edge != 1 || invites || kept.first != side::message) continue;
        wanted.insert(kept.second.begin(), kept.second.end());
        kept.second.clear();
      }
      const auto taken = table.take_messages(3, 1);
      ASSERT_EQ(std::multiset<std::uint64_t>(taken.begin(), taken.end()), wanted);
    }
  }
}
