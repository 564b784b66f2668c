// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that sleeps is woken by whatever comes for it; none is lost between its last look and
// its sleep. A lost one is a test that hangs.
#include "upwash/conduit/shm/detail/bell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include "tests/conduit/shm/threads_job.hpp"
#include "tests/sanitized.hpp"

namespace upwash::testing {
namespace {

using conduit::shm_detail::bell;

TEST(bell, loses_no_ring) {
  const int rings = test::sanitized ? 20'000 : 200'000;
  bell one{};
  std::atomic<int> work = 0;
  std::atomic<int> done = 0;
  std::thread sleeper([&] {
    for (int seen = 0; seen < rings; done.store(seen, std::memory_order_release)) {
      one.sleep_unless([&] { return work.load(std::memory_order_relaxed) != seen; });
      seen = work.load(std::memory_order_relaxed);
    }
  });
  for (int i = 1; i <= rings; ++i) {
    work.store(i, std::memory_order_relaxed);
    one.ring();
    // Each second one finds the thread asleep, or on its way there.
    while (i % 2 == 0 && done.load(std::memory_order_acquire) != i) std::this_thread::yield();
  }
  sleeper.join();
  EXPECT_EQ(done.load(), rings);
}

struct counting final : conduit::sink {
  void deliver(const conduit::message& /*arrived*/) override { ++came; }
  std::atomic<int> came = 0;
};

/// Whether the thread at last uses no processor for 100 ms; one that polls never comes to that.
bool comes_to_rest(std::thread& which) {
  clockid_t its{};
  if (pthread_getcpuclockid(which.native_handle(), &its) != 0) return false;
  const auto used = [&] {
    timespec now{};
    clock_gettime(its, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  for (int look = 0; look < 100; ++look) {
    const auto before = used();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (used() == before) return true;
  }
  return false;
}

/// Rank 1 does nothing but what the thread beside it does.
TEST(bell, wakes_the_thread_for_memory_messages) {
  threads_job all(2, 1, {{"progress_thread", "1"}, {"progress_wait", "sleep"}});
  counting target;
  all.at(1).attach(1, &target);
  std::atomic<bool> over = false;
  std::thread beside([&] {
    while (!over.load()) static_cast<void>(all.at(1).poll_memory(true));
  });
  conduit::message m;
  m.kind = conduit::lane::memory;
  m.source = 0;
  m.destination = 1;
  for (int i = 1; i <= 300; ++i) {
    if (i % 30 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // it falls asleep
    while (all.at(0).send(m, false).what == conduit::outcome::retry) std::this_thread::yield();
    while (i % 3 == 0 && target.came.load() != i) std::this_thread::yield();
  }
  while (target.came.load() != 300) std::this_thread::yield();
  EXPECT_TRUE(comes_to_rest(beside)) << "a thread that sleeps uses no processor";
  over = true;
  all.at(1).wake_poll_memory();
  beside.join();
  all.at(1).attach(1, nullptr);
}

}  // namespace
}  // namespace upwash::testing
