// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an owner's processor serves: the way of a memory handler's call and answer, to an owner that
// waits, and to one that computes and looks seldom. With UPWASH_PROGRESS_THREAD=1 the thread beside
// it serves, which polls, naps or sleeps meanwhile (UPWASH_PROGRESS_WAIT): after Saify 2002, 2.2.2.
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "bench/onesided.hpp"
#include "upwash/core/memory_handler.hpp"

namespace upwash::bench {
namespace {

void nothing(memory_call& /*call*/) {}

/// Computes for 50 us at a time, and looks between, until its word says that it is over.
void compute_until(context& c, const std::uint64_t& over) {
  constexpr duration slice = duration::from_us(50);
  while (__atomic_load_n(&over, __ATOMIC_ACQUIRE) == 0) {
    if (c.simulated()) {
      c.here().compute(slice);
    } else {
      for (const duration end = c.here().now() + slice; c.here().now() < end;) {
      }
    }
    c.here().progress();
  }
}

}  // namespace

void served(context& c) {
  if (c.size() < 2) return;
  region area = allocate(c.here().world(), 64);
  const auto call = add_memory_handler<&nothing>(c.here(), "bench.nothing");
  control::barrier(c.here().world());
  const auto ask = [&](long /*turn*/) {
    call_owner(c.here(), call, area.at<std::byte>(1, 0), {}).wait();
  };
  c.measure({.label = "call of an owner that waits", .unit = "ns"}, by_rank_zero(c, ask));
  std::uint64_t& over = area.mine_as<std::uint64_t>()[0];
  c.measure({.label = "call of an owner that computes", .unit = "ns"}, [&](long iterations) {
    over = 0;
    control::barrier(c.here().world());
    const duration start = c.here().now();
    for (long i = 0; c.rank() == 0 && i < iterations; ++i) ask(i);
    const double value = (c.here().now() - start).ns() / static_cast<double>(iterations);
    if (c.rank() == 0) atomic_store(c.here(), area.at<std::uint64_t>(1, 0), std::uint64_t{1});
    if (c.rank() == 1) compute_until(c, over);
    control::barrier(c.here().world());
    return value;
  });
  if (!c.simulated()) {
    c.measure({.label = "processor used in 1 ms of sleep", .unit = "us"}, [&](long iterations) {
      constexpr double clocks_a_us = CLOCKS_PER_SEC / 1e6;
      control::barrier(c.here().world());
      const std::clock_t before = std::clock();
      for (long i = 0; i < iterations; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      const double used = static_cast<double>(std::clock() - before) / clocks_a_us;
      control::barrier(c.here().world());
      return used / static_cast<double>(iterations);
    });
  }
  free(area);
}

}  // namespace upwash::bench
