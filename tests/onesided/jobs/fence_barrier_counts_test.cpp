// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of a fence_barrier are as many as the formulas say, at each rank.
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/weak_world.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "upwash/onesided/fence_barrier.hpp"

namespace {

using namespace upwash;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

int log2_down(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }
int messages_of(int rank, int size) {
  const int rounds = log2_down(size);
  const int core = 1 << rounds;
  if (rank >= core) return 2;
  return 2 * rounds + (rank + core < size ? 2 : 0);
}

using make_world = std::unique_ptr<conduit::world> (*)(int ranks);
std::unique_ptr<conduit::world> weak_of(int ranks) {
  return test::make_weak_world(test::sim_of(ranks));
}
std::unique_ptr<conduit::world> served_of(int ranks) { return test::served_of(ranks, 0); }
constexpr std::array<make_world, 4> worlds{&test::sim_of, &test::loopback_of, &weak_of, &served_of};

}  // namespace

TEST(fence_barrier, messages_are_as_many_as_the_formula_says) {
  for (const make_world make : worlds) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      std::atomic<int> total{0};
      const auto world = make(ranks);
      const auto body = [&](job& here) {
        region area = allocate(here.world(), as_count(ranks) * 8);
        const std::uint64_t word = 7;
        control::barrier(here.world());
        for (int round = 0; round < 3; ++round) {
          for (int to = 0; round > 0 && to < ranks; ++to) {
            put(here, area.at<std::uint64_t>(to, as_count(here.rank())), std::span(&word, 1),
                unacknowledged)
                .wait();
          }
          const auto count = fence_barrier(here.world(), {.kind = fence_barrier_kind::combined});
          EXPECT_EQ(count.messages, messages_of(here.rank(), ranks)) << ranks;
          EXPECT_EQ(count.asked, 0);
          if (round == 0) {
            EXPECT_EQ(count.pairs, 0U);
          }
        }
        control::barrier(here.world());
        // Nothing is to be told: what is on the wire is theirs alone.
        const std::uint64_t before = here.counters().messages_sent;
        const auto count = fence_barrier(here.world(), {.kind = fence_barrier_kind::combined});
        EXPECT_EQ(here.counters().messages_sent - before, as_count(messages_of(here.rank(), ranks)))
            << ranks;
        EXPECT_EQ(count.pairs, 0U);
        total += count.messages;
        control::barrier(here.world());
        free(area);
      };
      ASSERT_EQ(test::message_of(*world, body), "no error");
      const int core = 1 << log2_down(ranks);
      ASSERT_EQ(total, 2 * log2_down(ranks) * core + 4 * (ranks - core)) << ranks;
      if (ranks == core) {
        ASSERT_EQ(total, ranks * 2 * log2_down(ranks));
      }
    }
  }
}

/// The thesis' start: 2(N-1) and log2 N, of which a rank sends its questions and the barrier's.
TEST(fence_barrier, messages_of_fence_and_barrier_apart) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    const auto world = served_of(ranks);
    ASSERT_EQ(test::message_of(*world,
                               [&](job& here) {
                                 region area = allocate(here.world(), as_count(ranks) * 8);
                                 const std::uint64_t word = 7;
                                 control::barrier(here.world());
                                 for (int to = 0; to < ranks; ++to) {
                                   put(here, area.at<std::uint64_t>(to, as_count(here.rank())),
                                       std::span(&word, 1), unacknowledged)
                                       .wait();
                                 }
                                 const auto count = fence_barrier(
                                     here.world(), {.kind = fence_barrier_kind::separate});
                                 EXPECT_EQ(count.asked, ranks - 1);
                                 EXPECT_EQ(count.messages,
                                           std::bit_width(static_cast<unsigned>(ranks - 1)));
                                 control::barrier(here.world());
                                 free(area);
                               }),
              "no error");
  }
}

/// Sparse: who put to one member tells one count, which goes at most once through each round.
TEST(fence_barrier, counts_are_told_where_puts_went_only) {
  constexpr int ranks = 16;
  std::atomic<std::uint64_t> total{0};
  std::atomic<std::uint64_t> sent{0};
  const auto world = test::loopback_of(ranks);
  ASSERT_EQ(
      test::message_of(
          *world,
          [&](job& here) {
            region area = allocate(here.world(), 8);
            const std::uint64_t word = 7;
            const int next = (here.rank() + 1) % ranks;
            control::barrier(here.world());
            for (int i = 0; i < 5; ++i) {
              put(here, area.at<std::uint64_t>(next), std::span(&word, 1), unacknowledged).wait();
            }
            sent += traffic_towards(here, next).sent;
            total += fence_barrier(here.world()).pairs;
            EXPECT_EQ(fence_barrier(here.world()).pairs, 0U);
            EXPECT_EQ(fence_all(here).asked, 0);  // they are known to be there
            control::barrier(here.world());
            free(area);
          }),
      "no error");
  ASSERT_EQ(sent, ranks * 5U);  // by message
  // One count for each rank, which changes over once for each bit in which r and r + 1 differ.
  std::uint64_t crossings = 0;
  for (unsigned r = 0; r < ranks; ++r) {
    crossings += static_cast<unsigned>(std::popcount(r ^ ((r + 1) % ranks)));
  }
  EXPECT_EQ(total, crossings);
}

TEST(fence_barrier, costs_the_barrier_alone_where_puts_are_stores) {
  conduit::loopback_options options;
  options.ranks = 6;
  options.direct_access = true;
  const auto world = conduit::make_loopback_world(options);
  ASSERT_EQ(test::message_of(*world,
                             [](job& here) {
                               region area = allocate(here.world(), 8);
                               const int next = (here.rank() + 1) % here.size();
                               const auto to = area.at<std::uint64_t>(next);
                               put_value(here, to, 1);
                               fence_barrier(here.world());
                               control::barrier(here.world());
                               const counters before = here.counters();
                               put_value(here, to, 2);
                               const auto count = fence_barrier(here.world());
                               EXPECT_EQ(count.messages, 0);
                               EXPECT_EQ(here.counters().messages_sent, before.messages_sent);
                               EXPECT_EQ(here.counters().barriers, before.barriers + 1);
                               EXPECT_EQ(area.mine_as<std::uint64_t>()[0], 2U);
                               // As a request: the second exchange, 2 rounds for 4 of 6.
                               control::barrier(here.world());
                               const std::uint64_t sent = here.counters().messages_sent;
                               fence_barrier_async(here.world()).wait();
                               const int wanted = here.rank() >= 4 ? 1 : here.rank() < 2 ? 3 : 2;
                               EXPECT_LE(here.counters().messages_sent - sent,
                                         as_count(wanted) + 1);
                               control::barrier(here.world());
                               free(area);
                             }),
            "no error");
}

TEST(fence_barrier, what_makes_no_sense_is_refused) {
  const auto world = test::sim_of(1);
  EXPECT_EQ(test::message_of(*world,
                             [](job& here) {
                               fence_barrier(here.world(), {.kind = fence_barrier_kind::separate,
                                                            .fence = {.in_flight = 0}});
                             }),
            "rank 0: a fence_barrier with 0 requests in flight; give 1 or more");
}

namespace {

/// Behind puts of all to all and a delay, how much longer fence and barrier apart take than in one:
/// by virtual time of rank 0, the thesis' fence, one rank a node.
double gain_of(int ranks, std::uint64_t bytes, int delay_us) {
  double gain = 0;
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("tungsten:ranks_a_node=1");
  options.remote_writes = false;
  const auto world = conduit::make_sim_world(options);
  const auto body = [&](job& here) {
    region area = allocate(here.world(), bytes);
    const std::vector<std::byte> words(bytes);
    std::array<double, 2> us{};
    for (int round = 0; round < 4; ++round) {  // the first two fetch keys
      const auto kind =
          round % 2 == 0 ? fence_barrier_kind::combined : fence_barrier_kind::separate;
      control::barrier(here.world());
      for (int k = 1; k < ranks; ++k) {
        put(here, area.at((here.rank() + k) % ranks), words, unacknowledged).wait();
      }
      here.compute(duration::from_us(delay_us));
      const duration start = here.now();
      fence_barrier(here.world(), {kind, {fence_order::sequential}});
      us[static_cast<std::size_t>(round % 2)] = (here.now() - start).us();
    }
    if (here.rank() == 0) gain = us[1] / us[0];
    control::barrier(here.world());
    free(area);
  };
  EXPECT_EQ(test::message_of(*world, body), "no error");
  return gain;
}

}  // namespace

/// The order of the thesis' figures 4.3 to 4.5, and their growth: no constant was fitted.
TEST(fence_barrier, gains_grow_with_ranks_whatever_the_delay) {
  struct figure {
    std::uint64_t bytes;
    std::vector<int> delays_us;
  };
  for (const figure& each : {figure{100, {0, 10, 50, 100}}, figure{4000, {0, 50, 100, 200}}}) {
    for (const int delay : each.delays_us) {
      double before = 1;
      for (const int ranks : {2, 4, 8}) {
        const double gain = gain_of(ranks, each.bytes, delay);
        EXPECT_GT(gain, before) << ranks << " ranks, " << each.bytes << " B, " << delay << " us";
        before = gain;
      }
    }
  }
  EXPECT_GT(gain_of(16, 100, 0), gain_of(8, 100, 0));
  EXPECT_GT(gain_of(64, 100, 0), gain_of(16, 100, 0));
}
