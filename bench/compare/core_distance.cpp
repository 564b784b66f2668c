// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nanoseconds that a line takes from the first processor to the second: on a virtual machine their
// distance may change, and a comparison holds for one distance only.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <thread>

namespace {

void run_on(unsigned processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  sched_setaffinity(0, sizeof only, &only);
}

constexpr int turns = 2000;

double hop_ns(std::atomic<int>& ball) {
  const auto begin = std::chrono::steady_clock::now();
  for (int turn = 0; turn < turns; ++turn) {
    ball.store(2 * turn + 1, std::memory_order_release);
    while (ball.load(std::memory_order_acquire) != 2 * turn + 2) {
    }
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / (2 * turns);
}

}  // namespace

int main() {
  if (std::thread::hardware_concurrency() < 2) {
    std::puts("0");
    return 0;
  }
  constexpr int samples = 9;
  alignas(64) std::atomic<int> ball{0};
  std::thread partner([&ball] {
    run_on(1);
    for (int sample = 0; sample < samples; ++sample) {
      for (int turn = 0; turn < turns; ++turn) {
        while (ball.load(std::memory_order_acquire) != 2 * turn + 1) {
        }
        ball.store(2 * turn + 2, std::memory_order_release);
      }
    }
  });
  run_on(0);
  double least = std::numeric_limits<double>::max();
  for (int sample = 0; sample < samples; ++sample) least = std::min(least, hop_ns(ball));
  partner.join();
  std::printf("%.0f\n", least);
  return 0;
}
