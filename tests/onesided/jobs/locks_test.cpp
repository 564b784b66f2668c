// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of each kind: one holder at a time, first come first served, what goes over the wire.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/onesided/jobs/lock_contest.hpp"
#include "upwash/base/random.hpp"
#include "upwash/onesided/locks.hpp"

namespace {

using namespace upwash;
using test::as_count;
using test::ask_in_turn;
using test::contend;
using test::count_up;
using test::kinds;
using test::shared_clock;

/// What this rank did, to be compared with before.
struct tally {
  explicit tally(const job& here) : at(here), before(here.counters()) {}
  [[nodiscard]] std::uint64_t atomics() const { return at.counters().atomics - before.atomics; }
  [[nodiscard]] std::uint64_t puts() const { return at.counters().puts - before.puts; }
  [[nodiscard]] std::uint64_t gets() const { return at.counters().gets - before.gets; }
  [[nodiscard]] std::uint64_t get_bytes() const {
    return at.counters().get_bytes - before.get_bytes;
  }
  const job& at;
  counters before;
};

}  // namespace

JOB_TEST(locks, one_rank_holds_a_lock_at_a_time) {
  for (const lock_kind kind : kinds) {
    contend(here.world(), kind, 0, here.size() - 1, 6);
    contend(here.world(), kind, here.size() / 2, 0, 3);
  }
}

JOB_TEST(locks, holders_of_teams_that_overlap, .least_ranks = 3, .most_ranks = 16) {
  for (const lock_kind kind : kinds) {
    const team odd = here.world().split(here.rank() % 2, -here.rank());
    const team low = here.world().split(here.rank() * 2 < here.size() ? 0 : 1, here.rank());
    for (const team& each : {odd, low}) contend(each, kind, each.size() - 1, 0, 4);
  }
}

/// Many locks at many owners, several held at once in one order, some by trying only.
JOB_TEST(locks, many_at_once, .most_ranks = 16) {
  constexpr int per_rank = 3;
  const int all = per_rank * here.size();
  for (const lock_kind kind : kinds) {
    lock_set locks(here.world(), per_rank, kind, 3);
    region words = allocate(here.world(), per_rank * 8);
    std::vector<std::uint64_t> mine(as_count(all));
    control::barrier(here.world());
    random_stream draw(7, as_count(here.rank()));
    for (int round = 0; round < 12; ++round) {
      std::array<int, 3> which{};
      for (int& each : which) each = static_cast<int>(draw.below(as_count(all)));
      std::sort(which.begin(), which.end());
      const auto last = std::unique(which.begin(), which.end());
      std::vector<int> got;
      for (auto at = which.begin(); at != last; ++at) {
        if (draw.below(3) == 0) {
          if (!locks.try_lock(*at / per_rank, *at % per_rank)) continue;
        } else {
          locks.lock(*at / per_rank, *at % per_rank);
        }
        got.push_back(*at);
      }
      for (const int each : got) {
        count_up(here, words.at<std::uint64_t>(each / per_rank, as_count(each % per_rank)));
        ++mine[as_count(each)];
      }
      while (!got.empty()) {  // handed over in any order
        const auto at = got.begin() + static_cast<std::ptrdiff_t>(draw.below(got.size()));
        locks.unlock(*at / per_rank, *at % per_rank);
        got.erase(at);
      }
    }
    control::all_reduce(here.world(), mine, control::fold::sum);
    for (int i = 0; i < per_rank; ++i) {
      ASSERT_EQ(words.mine_as<std::uint64_t>()[as_count(i)],
                mine[as_count(here.rank() * per_rank + i)])
          << to_string(kind);
    }
    control::barrier(here.world());
    free(words);
    locks.release();
  }
}

JOB_TEST(locks, trying_takes_what_is_free_only, .least_ranks = 2, .most_ranks = 8) {
  for (const lock_kind kind : kinds) {
    lock_set locks(here.world(), 1, kind);
    const int owner = here.size() - 1;
    if (here.rank() == 0) {
      EXPECT_TRUE(locks.try_lock(owner, 0)) << to_string(kind);
    }
    control::barrier(here.world());
    if (here.rank() != 0) {
      EXPECT_FALSE(locks.try_lock(owner, 0)) << to_string(kind);
    }
    control::barrier(here.world());
    if (here.rank() == 0) locks.unlock(owner, 0);
    control::barrier(here.world());
    // The owner has taken what was sent before the barrier, or takes it first.
    if (here.rank() == 0) {
      EXPECT_TRUE(locks.try_lock(owner, 0)) << to_string(kind);
      locks.unlock(owner, 0);
    }
    locks.release();
  }
}

JOB_TEST(locks, first_come_first_served, .least_ranks = 2, .most_ranks = 33, .on_shm = false,
         .on_loopback = false, .on_composite = false) {
  for (const lock_kind kind : kinds) {
    if (kind == lock_kind::test_and_set) continue;  // in no order
    for (const int owner : {0, here.size() - 1}) ask_in_turn(here, kind, owner);
  }
}

/// What the thesis counts: one swap and one compare-and-swap for a lock that nobody else wants.
JOB_TEST(locks, cost_of_a_lock_that_nobody_else_wants, .least_ranks = 2, .most_ranks = 5) {
  for (const lock_kind kind : kinds) {
    lock_set locks(here.world(), 1, kind);
    const int owner = here.size() - 1;
    if (here.rank() == 0) {
      locks.lock(owner, 0);  // keys are fetched at the first time
      locks.unlock(owner, 0);
      const tally taking(here);
      locks.lock(owner, 0);
      const bool looks = kind == lock_kind::ticket || kind == lock_kind::array;
      const bool swaps = kind == lock_kind::queue || kind == lock_kind::test_and_set;
      if (looks || swaps) {
        EXPECT_EQ(taking.atomics(), 1U) << to_string(kind);
        EXPECT_EQ(taking.puts(), 0U) << to_string(kind);
        EXPECT_LE(taking.gets(), looks ? 1U : 0U) << to_string(kind);
      } else {
        EXPECT_EQ(taking.atomics() + taking.puts() + taking.gets(), 0U) << to_string(kind);
      }
      const tally giving(here);
      locks.unlock(owner, 0);
      EXPECT_EQ(giving.atomics(), swaps ? 1U : 0U) << to_string(kind);
      EXPECT_EQ(giving.puts(), looks ? 1U : 0U) << to_string(kind);
      EXPECT_EQ(giving.gets(), 0U) << to_string(kind);
    }
    control::barrier(here.world());
    locks.release();
  }
}

/// A request, which brings the grant, and a hand-over: two calls, nothing else, however many wait.
JOB_TEST(locks, calls_of_a_lock_at_a_server, .most_ranks = 8) {
  constexpr std::uint64_t times = 10;
  const int owner = here.size() - 1;
  lock_set locks(here.world(), 1, lock_kind::server);
  const std::uint64_t before = traffic_towards(here, owner).begun;
  const tally other(here);
  for (std::uint64_t i = 0; i < times; ++i) {
    locks.lock(owner, 0);
    locks.unlock(owner, 0);
  }
  EXPECT_EQ(traffic_towards(here, owner).begun - before, 2 * times);
  EXPECT_EQ(other.atomics() + other.puts() + other.gets(), 0U);
  locks.release();
}

namespace {

/// The owner computes and calls nothing until all others have had its locks: its thread serves.
void server_beside_progress_threads(job& here) {
  constexpr int rounds = 50;
  lock_set locks(here.world(), 1, lock_kind::server);
  region words = allocate(here.world(), 16);
  const auto counted = words.at<std::uint64_t>(0);
  control::barrier(here.world());
  const std::uint64_t wanted = rounds * (as_count(here.size()) - 1);
  if (here.rank() == 0) {
    std::atomic_ref word(words.mine_as<std::uint64_t>()[0]);
    while (word.load() != wanted) std::this_thread::yield();
  } else {
    for (int i = 0; i < rounds; ++i) {
      const held_lock mine(locks, 0, 0);
      count_up(here, counted);
    }
  }
  control::barrier(here.world());
  EXPECT_EQ(words.mine_as<std::uint64_t>()[0], here.rank() == 0 ? wanted : 0U);
  control::barrier(here.world());
  free(words);
  locks.release();
}

}  // namespace

JOB_TEST(locks, at_a_server_that_polls, .least_ranks = 2, .most_ranks = 4, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false, .on_composite = false,
         .shares_process = false, .environment = {"UPWASH_PROGRESS_THREAD=yes"}) {
  server_beside_progress_threads(here);
}

JOB_TEST(locks, at_a_server_that_naps_when_idle, .least_ranks = 2, .most_ranks = 4, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false, .on_composite = false,
         .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=yes", "UPWASH_PROGRESS_WAIT=nap"}) {
  server_beside_progress_threads(here);
  // Nobody wants anything for a while: the thread leaves its core to others, and wakes then.
  const std::clock_t before = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> slept = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(used, 0.6 * slept.count()) << "seconds; a sleep takes longer on a busy machine";
  server_beside_progress_threads(here);
}

JOB_TEST(locks, at_a_server_that_sleeps_when_idle, .least_ranks = 2, .most_ranks = 4,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=yes", "UPWASH_PROGRESS_WAIT=sleep"}) {
  for (int turn = 0; turn < 3; ++turn) {
    server_beside_progress_threads(here);
    std::this_thread::sleep_for(std::chrono::milliseconds(turn * 5));
  }
}

/// Contended: one swap and one put to queue up, one put to hand over.
JOB_TEST(locks, cost_of_handing_a_queue_lock_over, .least_ranks = 3, .most_ranks = 8,
         .on_shm = false, .on_loopback = false, .on_composite = false) {
  lock_set locks(here.world(), 1, lock_kind::queue);
  const shared_clock clock(here);
  clock.wait_for(1 + here.rank());
  const tally taking(here);
  locks.lock(2, 0);
  EXPECT_EQ(taking.atomics(), 1U);
  EXPECT_EQ(taking.puts(), here.rank() == 0 ? 0U : 1U);
  if (here.rank() == 0) clock.wait_for(here.size() + 2);
  const bool is_last = here.rank() == here.size() - 1;
  const tally giving(here);
  locks.unlock(2, 0);
  EXPECT_EQ(giving.atomics(), is_last ? 1U : 0U);
  EXPECT_EQ(giving.puts(), is_last ? 0U : 1U);
  EXPECT_EQ(taking.get_bytes(), 0U);  // waiters look at their own memory
  locks.release();
}

/// Whoever did not find the lock free was told by the one before it; each free one was left so.
JOB_TEST(locks, puts_and_atomics_of_contended_queue_locks_add_up) {
  constexpr std::uint64_t rounds = 8;
  lock_set locks(here.world(), 1, lock_kind::queue);
  control::barrier(here.world());
  const tally all(here);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const held_lock mine(locks, 0, 0);
    here.progress();
  }
  std::array<std::uint64_t, 2> sums{all.puts(), all.atomics()};
  control::all_reduce(here.world(), sums, control::fold::sum);
  const std::uint64_t taken = rounds * as_count(here.size());
  EXPECT_EQ(sums[0] % 2, 0U);
  const std::uint64_t contended = sums[0] / 2;
  EXPECT_LT(contended, taken);  // the first of all found it free
  // A swap each, a compare-and-swap for each that was left free, and one for each late successor.
  EXPECT_GE(sums[1], taken + (taken - contended));
  EXPECT_LE(sums[1], taken + taken);
  if (here.size() == 1) {
    EXPECT_EQ(sums[0], 0U);
  }
  locks.release();
}

JOB_TEST(locks, sets_come_and_go, .most_ranks = 5) {
  for (int round = 0; round < 5; ++round) {
    for (const lock_kind kind : kinds) {
      lock_set none(here.world(), 0, kind);
      lock_set first(here.world(), 1, kind);
      lock_set second(here.world(), 1, kind);
      first.lock(0, 0);
      if (here.rank() == 0) {  // another set's lock, in the same place
        EXPECT_TRUE(second.try_lock(0, 0));
        second.unlock(0, 0);
      }
      first.unlock(0, 0);
      lock_set moved = std::move(first);
      moved.lock(0, 0);
      moved.unlock(0, 0);
      moved.release();
      EXPECT_FALSE(moved);
      second.release();
      none.release();
      none.release();
    }
  }
}
