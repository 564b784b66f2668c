// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Changes of 16 bytes are whole, none is lost, and a queue can be built on them as the thesis did.
#include "upwash/onesided/atomic_pair.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/onesided/jobs/served_world.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/accumulate.hpp"

namespace {

using namespace upwash;

std::uint64_t as_count(int n) { return static_cast<std::uint64_t>(n); }

/// Both halves say the same, or somebody saw half of a change.
struct alignas(16) twin {
  std::uint64_t value = 0;
  std::uint64_t mirrored = ~std::uint64_t{0};
  friend bool operator==(const twin&, const twin&) = default;
};
twin twin_of(std::uint64_t value) { return {value, ~value}; }

constexpr std::uint64_t places = 1100;  // over more than one stripe

region twins_of(const team& among) {
  region area = allocate(among, places * sizeof(twin));
  for (twin& each : area.mine_as<twin>()) each = {};
  control::barrier(among);
  return area;
}

/// All ranks count places of all owners up by compare-and-swap: nothing is lost or halved.
void count_up(job& here) {
  constexpr int rounds = 40;
  region area = twins_of(here.world());
  std::vector<std::uint64_t> mine(as_count(here.size()) * 3);
  random_stream draw(11, as_count(here.rank()));
  for (int round = 0; round < rounds; ++round) {
    const int owner = static_cast<int>(draw.below(as_count(here.size())));
    const std::uint64_t which = draw.below(3);
    const auto at = area.at<twin>(owner, which * (places - 1) / 2);
    twin seen = atomic_load(here, at);
    for (;;) {
      ASSERT_EQ(seen.mirrored, ~seen.value);
      const twin before = compare_swap(here, at, seen, twin_of(seen.value + 1));
      if (before == seen) break;
      seen = before;
    }
    ++mine[as_count(owner) * 3 + which];
  }
  control::all_reduce(here.world(), mine, control::fold::sum);
  for (std::uint64_t which = 0; which < 3; ++which) {
    EXPECT_EQ(area.mine_as<twin>()[which * (places - 1) / 2],
              twin_of(mine[as_count(here.rank()) * 3 + which]));
  }
  control::barrier(here.world());
  free(area);
}

/// Values go in and out by swaps only: each that went in is out or still there, once.
void swap_round(job& here) {
  constexpr std::uint64_t rounds = 30;
  region area = twins_of(here.world());
  const auto at = area.at<twin>(here.size() - 1, 7);
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  for (std::uint64_t i = 1; i <= rounds; ++i) {
    const std::uint64_t value = random_bits(3, as_count(here.rank()), i);
    const twin before = swap(here, at, twin_of(value));
    ASSERT_EQ(before.mirrored, ~before.value);
    in += value;
    out += before.value;
  }
  std::array<std::uint64_t, 2> sums{in, out};
  control::all_reduce(here.world(), sums, control::fold::sum);
  EXPECT_EQ(sums[0] - sums[1], atomic_load(here, at).value);
  control::barrier(here.world());
  free(area);
}

/// Sums of halves beside compare-and-swaps of the whole.
void beside_sums(job& here) {
  constexpr std::int64_t rounds = 20;
  struct alignas(16) counts {
    std::int64_t added = 0;
    std::int64_t swapped = 0;
    bool operator==(const counts&) const = default;
  };
  region area = allocate(here.world(), sizeof(counts));
  control::barrier(here.world());
  const auto at = area.at<counts>(0);
  const std::int64_t one = 1;
  for (std::int64_t i = 0; i < rounds; ++i) {
    request sum = accumulate(here, at.as<std::int64_t>(), std::span(&one, 1));
    for (counts seen = atomic_load(here, at);;) {
      const counts before = compare_swap(here, at, seen, {seen.added, seen.swapped + 1});
      if (before == seen) break;
      seen = before;
    }
    sum.wait();
  }
  control::barrier(here.world());
  const counts wanted{rounds * here.size(), rounds * here.size()};
  EXPECT_EQ(atomic_load(here, at), wanted);
  control::barrier(here.world());
  free(area);
}

/// The thesis' queue lock: names are pairs of a rank and an offset, here of one node each.
void queue_lock(job& here) {
  constexpr std::uint64_t rounds = 5;
  struct alignas(16) name {
    std::uint64_t rank_and_one = 0;  ///< 0: nobody
    std::uint64_t offset = 0;
    bool operator==(const name&) const = default;
  };
  enum : std::uint64_t { tail, next, locked, word, parts };
  region area = allocate(here.world(), parts * sizeof(name));
  control::barrier(here.world());
  const auto last = area.at<name>(0, tail);
  const auto counted = area.at<std::uint64_t>(here.size() - 1, 2 * word);
  const name me{as_count(here.rank()) + 1, next * sizeof(name)};
  const auto own = area.at<name>(here.rank(), next);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    static_cast<void>(swap(here, own, name{}));
    put_value(here, area.at<std::uint64_t>(here.rank(), 2 * locked), 1);
    const name before = swap(here, last, me);
    if (before != name{}) {
      const auto their = area.at(static_cast<int>(before.rank_and_one - 1), before.offset);
      static_cast<void>(swap(here, their.as<name>(), me));
      wait_until(here, area.mine_as<std::uint64_t>()[2 * locked], comparison::equal, 0);
    }
    put_value(here, counted, get_value(here, counted) + 1);
    name behind = atomic_load(here, own);
    if (behind == name{} && compare_swap(here, last, me, name{}) == me) continue;
    while (behind == name{}) {
      here.progress();
      behind = atomic_load(here, own);
    }
    put_value(here, area.at<std::uint64_t>(static_cast<int>(behind.rank_and_one - 1), 2 * locked),
              0);
  }
  control::barrier(here.world());
  EXPECT_EQ(get_value(here, counted), rounds * as_count(here.size()));
  control::barrier(here.world());
  free(area);
}

std::string refusal(void (*body)(job&, const region&)) {
  const auto world = test::sim_of(2);
  return test::message_of(*world, [&](job& here) {
    const region area = allocate(here.world(), 64);
    if (here.rank() == 0) body(here, area);
    control::barrier(here.world());
  });
}

}  // namespace

JOB_TEST(atomic_pairs, are_changed_as_a_whole, .most_ranks = 16) { count_up(here); }

JOB_TEST(atomic_pairs, are_swapped_and_none_is_lost, .most_ranks = 16) { swap_round(here); }

JOB_TEST(atomic_pairs, beside_accumulates, .most_ranks = 8) { beside_sums(here); }

JOB_TEST(atomic_pairs, carry_a_queue_lock, .most_ranks = 8) { queue_lock(here); }

/// Owners compute and call nothing: their threads change the pairs.
JOB_TEST(atomic_pairs, beside_progress_threads, .least_ranks = 2, .most_ranks = 4, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false, .on_composite = false,
         .shares_process = false, .environment = {"UPWASH_PROGRESS_THREAD=yes"}) {
  for (int i = 0; i < 20; ++i) count_up(here);  // new memory: the first changes go by handlers
}

TEST(atomic_pairs, where_puts_are_messages) {
  test::run_served(&count_up, test::sanitized ? 3 : 10);
  test::run_served(&swap_round, test::sanitized ? 3 : 10);
  test::run_served(&beside_sums, test::sanitized ? 3 : 10);
  test::run_served(&queue_lock, test::sanitized ? 3 : 10);
}

/// One call there and its answer, whatever is changed.
JOB_TEST(atomic_pairs, cost_one_call_or_none, .least_ranks = 2, .most_ranks = 5) {
  region area = twins_of(here.world());
  const int owner = (here.rank() + 1) % here.size();
  const auto at = area.at<twin>(owner, as_count(here.rank()));
  static_cast<void>(swap(here, at, twin_of(1)));  // fetches keys
  here.quiet();
  const std::uint64_t calls = traffic_towards(here, owner).begun;
  const std::uint64_t atomics = here.counters().atomics;
  EXPECT_EQ(compare_swap(here, at, twin_of(1), twin_of(2)), twin_of(1));
  EXPECT_EQ(compare_swap(here, at, twin_of(1), twin_of(3)), twin_of(2));
  EXPECT_EQ(atomic_load(here, at), twin_of(2));
  EXPECT_EQ(here.counters().atomics - atomics, 3U);
  EXPECT_LE(traffic_towards(here, owner).begun - calls, 3U);
  control::barrier(here.world());
  free(area);
}

TEST(atomic_pairs, what_makes_no_sense_is_refused) {
  EXPECT_EQ(
      refusal([](job& here, const region& area) { swap(here, area.at(1, 8).as<twin>(), twin{}); }),
      "rank 0: swap of a pair at rank 1: offset 8 is not a multiple of 16; align the "
      "structure to 16 bytes");
  EXPECT_EQ(refusal([](job& here, const region& area) {
              static_cast<void>(atomic_load(here, area.at<twin>(1, 4)));
            }),
            "rank 0: atomic_load of a pair at rank 1: a layout that reaches over 16 bytes from "
            "offset 64 on leaves the 64 bytes that are there");
  EXPECT_EQ(
      refusal([](job& here, const region& /*area*/) {
        compare_swap(here, global_ptr<twin>(), twin{}, twin{});
      }),
      "rank 0: compare_swap of a pair at a null pointer; give one into a region (region::at)");
}
