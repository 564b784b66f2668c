// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking collectives that a progress thread takes forward beside its rank.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "tests/collective/jobs/rank_words.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/region.hpp"

namespace {

using namespace upwash;
using test::sanitized;
using test::word_of;
using test::words;
using test::words_of;

words sums_of(const team& on, std::size_t count) {
  words all(count);
  for (int member = 0; member < on.size(); ++member) {
    for (std::size_t i = 0; i < count; ++i) all[i] += word_of(on.world_rank(member), i);
  }
  return all;
}

/// Until the last word has come, without a call of the library. Whether it came within seconds.
bool comes_by_itself(std::uint64_t& last, std::uint64_t awaited) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::atomic_ref(last).load() != awaited) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Sums end while no rank calls the library.
void without_looks(job& here) {
  constexpr std::size_t count = 4096;
  const team world = here.world();
  const words mine = words_of(here.rank(), count);
  const words expected = sums_of(world, count);
  int by_themselves = 0;
  for (int turn = 0; turn < 3; ++turn) {
    words result(count);
    control::barrier(world);
    request open = all_reduce<sum>(world, mine, result);
    by_themselves += comes_by_itself(result.back(), expected.back()) ? 1 : 0;
    open.wait();
    EXPECT_EQ(result, expected);
  }
  EXPECT_GE(by_themselves, 2) << "one of three may be in turn to settle, by the rank";
}

/// Whether the kernel lets this rank read the next one's private memory.
bool attaches(job& here) {
  const team world = here.world();
  const words mine = words_of(here.rank(), 100);
  const exposed_memory own = expose(here, std::as_bytes(std::span(mine)));
  std::vector<exposed_memory> all(static_cast<std::size_t>(world.size()));
  control::all_gather_values(world, own, std::span<exposed_memory>(all));
  const exposed_memory& next = all[static_cast<std::size_t>((here.rank() + 1) % world.size())];
  words read(mine.size());
  const bool is_read = host(here).endpoint().read_aside(here.rank(), next.rank, next.key, 0,
                                                        std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, is_read ? words_of(next.rank, read.size()) : words(read.size()));
  control::barrier(world);
  conceal(here, own);
  return is_read;
}

/// The thread reads the peers' private memory, or leaves it to the rank where the kernel does not
/// let it: then only the result counts.
void out_of_private_memory(job& here, bool attaches) {
  constexpr std::size_t count = 40'000;
  const team world = here.world();
  const words mine = words_of(here.rank(), count);
  words expected;
  for (int member = 0; member < world.size(); ++member) {
    const words theirs = words_of(world.world_rank(member), count);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  const std::uint64_t before = here.counters().gets;
  int by_themselves = 0;
  for (int turn = 0; turn < 3; ++turn) {
    words result(expected.size());
    control::barrier(world);
    request open = all_gather(world, mine, result, {.algorithm = "single_copy"});
    for (int member = 0; attaches && member < world.size(); ++member) {
      const auto last = static_cast<std::size_t>(member + 1) * count - 1;
      by_themselves += comes_by_itself(result[last], expected[last]) ? 1 : 0;
    }
    open.wait();
    EXPECT_EQ(result, expected);
  }
  // Whoever reads, the rank counts it.
  EXPECT_EQ(here.counters().gets - before, 3 * static_cast<std::uint64_t>(world.size() - 1));
  if (!attaches) return;
  EXPECT_GE(by_themselves, 2 * world.size()) << "one of three may be in turn to settle";
}

/// A collective under way on one team, and what it is to bring.
struct under_way {
  words in;
  words out;
  words expected;
  request open;
};

void start_one(under_way& one, const team& on, std::uint64_t draw) {
  const std::size_t count = 1 + draw / 7 % (sanitized ? 3'000 : 30'000);
  const auto members = static_cast<std::size_t>(on.size());
  const auto me = static_cast<std::size_t>(on.rank());
  one.in = words_of(on.here().rank(), count);
  switch (draw % 4) {
    case 0:
      one.expected = sums_of(on, count);
      one.out.resize(count);
      one.open = all_reduce<sum>(on, one.in, one.out);
      return;
    case 1:
      for (int member = 0; member < on.size(); ++member) {
        const words theirs = words_of(on.world_rank(member), count);
        one.expected.insert(one.expected.end(), theirs.begin(), theirs.end());
      }
      one.out.resize(count * members);
      one.open = all_gather(on, one.in, one.out);
      return;
    case 2:
      one.in = words_of(on.here().rank(), count * members);
      for (int member = 0; member < on.size(); ++member) {
        const words theirs = words_of(on.world_rank(member), count * members);
        const auto block = theirs.begin() + static_cast<std::ptrdiff_t>(count * me);
        one.expected.insert(one.expected.end(), block, block + static_cast<std::ptrdiff_t>(count));
      }
      one.out.resize(count * members);
      one.open = all_to_all(on, one.in, one.out);
      return;
    default: {
      const int root = static_cast<int>(draw / 5 % members);
      one.expected = words_of(on.world_rank(root), count);
      one.out = on.rank() == root ? one.expected : words(count);
      one.open = broadcast(on, root, one.out);
    }
  }
}

/// Many at once, of all sizes, on teams that overlap, waited for in another order than begun.
void many_at_once(job& here) {
  const team world = here.world();
  const team halves = world.split(here.rank() % 2, here.rank());
  const team reversed = world.split(0, -here.rank());
  for (std::uint64_t round = 0; round < (sanitized ? 4U : 16U); ++round) {
    std::deque<under_way> open;
    for (std::uint64_t i = 0; i < 24; ++i) {
      const std::uint64_t draw = random_bits(11, round, i);
      const team& on = i % 3 == 0 ? world : i % 3 == 1 ? halves : reversed;
      start_one(open.emplace_back(), on, draw);
      if (draw % 11 == 0) control::barrier(reversed);
    }
    while (!open.empty()) {
      under_way& one = round % 2 == 0 ? open.front() : open.back();
      one.open.wait();
      ASSERT_EQ(one.out, one.expected);
      round % 2 == 0 ? open.pop_front() : open.pop_back();
    }
  }
}

/// Set up once, started often: each start is lent anew.
void started_often(job& here) {
  constexpr std::size_t count = 4096;
  const team world = here.world();
  words mine(count);
  words result(count);
  collective::persistent kept = all_reduce<sum>(world, persist, mine, result);
  for (std::uint64_t turn = 1; turn <= 20; ++turn) {
    for (std::size_t i = 0; i < count; ++i) mine[i] = word_of(here.rank(), i) * turn;
    request open = kept.start();
    if (turn % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    open.wait();
    words expected = sums_of(world, count);
    for (std::uint64_t& each : expected) each *= turn;
    ASSERT_EQ(result, expected);
  }
}

/// Operators of the program's own are applied by the thread that called.
void own_operators(job& here) {
  constexpr std::size_t count = 4096;
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> elsewhere = false;
  const auto watching = commuting{[&caller, &elsewhere](std::uint64_t a, std::uint64_t b) {
    if (std::this_thread::get_id() != caller) elsewhere = true;
    return a + b;
  }};
  const words mine = words_of(here.rank(), count);
  words result(count);
  request open = all_reduce(here.world(), mine, result, watching);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  open.wait();
  EXPECT_EQ(result, sums_of(here.world(), count));
  EXPECT_FALSE(elsewhere);
}

JOB_TEST(lent_collectives, end_while_ranks_compute, .least_ranks = 2, .most_ranks = 4,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=1"}) {
  without_looks(here);
  started_often(here);
  own_operators(here);
}

JOB_TEST(lent_collectives, read_private_memory, .least_ranks = 2, .most_ranks = 3, .on_sim = false,
         .on_packets = false, .on_direct = false, .on_loopback = false, .on_composite = false,
         .shares_process = false, .environment = {"UPWASH_PROGRESS_THREAD=1"}) {
  const bool by_thread = attaches(here);
  out_of_private_memory(here, by_thread);
  if (!by_thread) GTEST_SKIP() << "the kernel refuses cross-memory attach";
}

/// Also where only some pairs share a node: the thread reads, or says that it cannot.
JOB_TEST(lent_collectives, ask_for_private_memory_beside_a_network, .least_ranks = 2,
         .most_ranks = 5, .on_sim = false, .on_packets = false, .on_direct = false,
         .on_loopback = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=1"}) {
  const conduit::endpoint& at = host(here).endpoint();
  const int next = (here.rank() + 1) % here.size();
  const bool is_read = attaches(here);
  if (nearness_of(at.place(here.rank()), at.place(next)) != conduit::nearness::node) {
    EXPECT_FALSE(is_read);
  }
}

JOB_TEST(lent_collectives, leave_private_memory_to_the_rank, .least_ranks = 2, .most_ranks = 2,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=1", "UPWASH_SHM_CMA=off"}) {
  EXPECT_FALSE(attaches(here));
  out_of_private_memory(here, false);
}

JOB_TEST(lent_collectives, are_right_on_overlapping_teams, .least_ranks = 2, .most_ranks = 5,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=1", "UPWASH_PROGRESS_WAIT=sleep"}) {
  many_at_once(here);
}

/// The same where the thread has a processor of its own, and looks without an end.
JOB_TEST(lent_collectives, are_right_on_other_processors, .least_ranks = 2, .most_ranks = 3,
         .on_sim = false, .on_packets = false, .on_direct = false, .on_loopback = false,
         .on_composite = false, .shares_process = false,
         .environment = {"UPWASH_PROGRESS_THREAD=1", "UPWASH_PROGRESS_CORES=0"}) {
  many_at_once(here);
}

}  // namespace
