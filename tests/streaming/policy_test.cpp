// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `auto` chooses for traffic that is made up: no messages, no clock.
#include "upwash/streaming/detail/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/streaming/detail/adapter.hpp"

namespace {

using namespace upwash;
using namespace upwash::streaming;

// Messages cost as much as 1,000 bytes.
const model::stream_prices prices{
    .port = {150, 0.15}, .processor = {120, 0.12}, .latency = 150, .item = 5, .copy = 0.16};

policy_facts facts(int ranks, std::size_t memory = std::size_t{8} << 20U) {
  return {.ranks = ranks,
          .prices = prices,
          .message_bytes = 65'536,
          .record_bytes = 8,
          .memory = memory};
}

const parameters start{.dimensions = 1, .effective_bytes = 65'536, .cutoff_bytes = 8};

policy learned(const policy_facts& of, const traffic& seen, const policy_wishes& wishes = {}) {
  return {of, wishes, start, seen};
}

int dimensions_for(int ranks, const traffic& seen) {
  return learned(facts(ranks), seen).now().dimensions;
}

/// Of 8 bytes, a million a second.
traffic some(double items, double destinations) { return {items, 8, destinations, 0.001}; }

}  // namespace

TEST(policy, dimensions_follow_items_and_destinations) {
  EXPECT_EQ(dimensions_for(256, some(255, 255)), 2);       // an item each: messages are what costs
  EXPECT_EQ(dimensions_for(256, some(1e6, 255)), 1);       // all buffers are full anyway
  EXPECT_EQ(dimensions_for(256, some(1e4, 3)), 1);         // few destinations
  EXPECT_EQ(dimensions_for(16'384, some(1000, 1000)), 3);  // few items for many
  EXPECT_EQ(dimensions_for(2, some(1e4, 1)), 1);
}

TEST(policy, begins_as_told_until_it_has_seen_something) {
  policy fresh(facts(256), {}, start, std::nullopt);
  EXPECT_EQ(fresh.now().dimensions, 1);
  EXPECT_EQ(fresh.now().effective_bytes, start.effective_bytes);
  EXPECT_FALSE(fresh.phase_over({}));
  EXPECT_TRUE(fresh.phase_over(some(255, 255)));
  EXPECT_EQ(fresh.now().dimensions, 2);
}

TEST(policy, a_phase_that_goes_on_counts_when_it_has_doubled) {
  policy grows(facts(256), {}, {.dimensions = 2, .effective_bytes = 65'536}, std::nullopt);
  int changes = 0;
  int asked = 0;
  for (double items = 64; items < 4e6; items += 64) {
    ++asked;
    changes += grows.so_far(some(items, 255)) ? 1 : 0;
  }
  EXPECT_EQ(grows.now().dimensions, 1);
  EXPECT_GT(changes, 0);
  EXPECT_LT(changes, 10);
  EXPECT_GT(asked, 10'000);
}

TEST(policy, what_the_program_has_decided_stays) {
  policy_wishes wishes{.dimensions = 3, .effective_bytes = 1000, .cutoff_bytes = 100};
  policy pinned = learned(facts(256), some(1e6, 3), wishes);
  for (const double items : {1.0, 1e3, 1e6}) pinned.phase_over(some(items, items / 10));
  EXPECT_EQ(pinned.now().dimensions, 3);
  EXPECT_EQ(pinned.now().effective_bytes, 1000U);
  const policy way = learned(facts(256), some(255, 255), {.dimensions = 1});
  EXPECT_EQ(way.now().dimensions, 1);
  const policy size = learned(facts(256), some(255, 255), {.effective_bytes = 3000});
  EXPECT_EQ(size.now().dimensions, 2);
  EXPECT_EQ(size.now().effective_bytes, 3000U);
}

TEST(policy, buffers_keep_within_the_memory) {
  for (const int ranks : {64, 1000, 65'536}) {
    for (const double items : {1e3, 1e5, 1e7}) {
      const std::size_t memory = std::size_t{2} << 20U;
      const auto all = static_cast<double>(ranks - 1);
      const policy bounded = learned(facts(ranks, memory), some(items, all));
      const double used = model::buffers_used({ranks, items, 8, all}, bounded.now().dimensions);
      EXPECT_LE(used * static_cast<double>(bounded.now().effective_bytes),
                static_cast<double>(memory))
          << ranks << " ranks, " << items << " items";
    }
  }
}

TEST(policy, delays_that_cost_make_buffers_as_large_as_saves_most) {
  const traffic seen{1e7, 8, 1, 0.02};
  for (const double kappa : {0.001, 0.01, 0.1}) {
    const policy chosen = learned(facts(2), seen, {.latency_cost = kappa});
    // What the processor bears of a message is what it saves here.
    const double best = model::best_bytes(prices.port, {0.02, 8}, kappa);
    const auto bytes = static_cast<double>(chosen.now().effective_bytes);
    EXPECT_GT(bytes, 0.5 * std::max(best, 256.0)) << kappa;
    EXPECT_LT(bytes, 2 * std::max(best, 256.0)) << kappa;
    EXPECT_NEAR(chosen.now().timeout.ns(), 2 * bytes / (0.02 * 8), 1) << kappa;
  }
  EXPECT_EQ(learned(facts(2), seen).now().timeout, duration());
}

TEST(policy, waiting_that_is_measured_makes_buffers_smaller_and_settles) {
  const traffic seen{1e6, 8, 1, 0.02};  // 50 ms
  const auto bytes_after = [&](double idle_ns) {
    policy one(facts(2), {}, start, std::nullopt);
    std::vector<std::size_t> chosen;
    for (int phase = 0; phase < 20; ++phase) {
      one.waited(idle_ns, seen);
      one.phase_over(seen);
      chosen.push_back(one.now().effective_bytes);
    }
    EXPECT_EQ(chosen[18], chosen[19]) << idle_ns;
    return chosen.back();
  };
  const std::size_t nobody_waits = bytes_after(0);
  const std::size_t some_wait = bytes_after(5e6);
  EXPECT_LT(some_wait, nobody_waits);
  EXPECT_LT(bytes_after(40e6), some_wait);
}

TEST(policy, where_prices_are_guesses_sizes_stay) {
  policy_facts guessed = facts(64);
  guessed.sure = false;
  policy careful(guessed, {}, start, std::nullopt);
  for (const double items : {63.0, 1e3, 1e5, 1e7}) {
    careful.phase_over(some(items, 63));
    EXPECT_EQ(careful.now().effective_bytes, start.effective_bytes);
    EXPECT_EQ(careful.now().cutoff_bytes, start.cutoff_bytes);
  }
  guessed.memory = std::size_t{63} * 1024;
  EXPECT_LE(learned(guessed, some(1e7, 63)).now().effective_bytes, 1024U);
}

TEST(policy, does_not_flap) {
  // Traffic near the border between one and two dimensions, never the same.
  policy steady(facts(256), {}, start, std::nullopt);
  random_stream random(7, 0);
  int changes = 0;
  for (int phase = 0; phase < 1000; ++phase) {
    const double items = 2000 * (0.9 + 0.2 * static_cast<double>(random.below(1000)) * 1e-3);
    changes += steady.phase_over(some(items, 255)) ? 1 : 0;
  }
  EXPECT_LE(changes, 2);
}

TEST(policy, follows_a_program_that_changes) {
  policy follows(facts(256), {}, start, std::nullopt);
  for (int round = 0; round < 3; ++round) {
    for (int phase = 0; phase < 8; ++phase) follows.phase_over(some(255, 255));
    EXPECT_EQ(follows.now().dimensions, 2);
    for (int phase = 0; phase < 8; ++phase) follows.phase_over(some(1e6, 255));
    EXPECT_EQ(follows.now().dimensions, 1);
  }
}

TEST(policy, large_items_are_not_combined) {
  // On the way of one hop only copies count, on two the bytes count again: near 1,000 bytes.
  policy_facts of = facts(256);
  of.record_bytes = 0;
  const policy two = learned(of, {1e3, 50, 255, 0.001});
  ASSERT_EQ(two.now().dimensions, 2);
  EXPECT_GT(two.now().cutoff_bytes, 200U);
  EXPECT_LT(two.now().cutoff_bytes, 1000U);
}

TEST(distinct_count, estimates_from_samples) {
  for (const int members : {3, 50, 1000}) {
    random_stream random(static_cast<std::uint64_t>(members), 1);
    distinct_count count(1000);
    for (int i = 0; i < 2000; ++i) {
      count.add(static_cast<int>(random.below(static_cast<std::uint64_t>(members))));
    }
    EXPECT_NEAR(count.estimate() / members, 1, 0.1) << members;
  }
  distinct_count few(1000);
  for (int member = 0; member < 4; ++member) few.add(member);
  EXPECT_LT(few.estimate(), 30);
  few.clear();
  EXPECT_EQ(few.seen(), 0);
}

TEST(frequent, has_who_comes_most) {
  random_stream random(3, 1);
  frequent often;
  for (int i = 0; i < 10'000; ++i) {
    often.add(random.below(4) == 0 ? 77 : static_cast<int>(random.below(1000)), 3);
  }
  const auto& all = often.all();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const frequent::one& each) {
    return each.member == 77 && each.count > 3 * 1000 && each.count <= 3 * 2700;
  }));
}
