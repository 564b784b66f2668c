// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/fast_clock.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace upwash {
namespace {

// Both readings of a pair lie within so many ticks, else something came between them.
constexpr std::uint64_t most_ticks_of_a_pair = 512;
constexpr int most_tries = 4;
constexpr double between_comparisons_ps = 1e9;
// A rate measured over less is not exact enough; over more it would miss that the kernel's clock
// is set faster or slower.
constexpr std::int64_t least_measured_ps = 1'000'000'000;
constexpr std::int64_t most_measured_ps = 1'000'000'000'000;
constexpr double most_change = 0.01;

/// The kernel watches that this counter runs evenly and alike on all cores, and else takes another.
bool kernel_keeps_time_by_counter() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
}

}  // namespace

fast_clock::fast_clock() noexcept {
#if defined(__x86_64__)
  by_counter_ = kernel_keeps_time_by_counter() && read(since_);
#endif
}

/// False where the thread lost its core in between, each time.
bool fast_clock::read(pair& both) noexcept {
  for (int tries = 0; tries < most_tries; ++tries) {
    const std::uint64_t before = counter();
    const duration now = steady_now();
    const std::uint64_t between = counter() - before;
    if (between > most_ticks_of_a_pair) continue;
    both = {before + between / 2, now.ps()};
    return true;
  }
  return false;
}

void fast_clock::learn_rate(const pair& both) noexcept {
  const std::int64_t measured = both.ps - since_.ps;
  if (measured < least_measured_ps) return;
  const double rate =
      static_cast<double>(measured) / static_cast<double>(both.ticks - since_.ticks);
  // The machine has slept, where one of the two clocks goes on: what is between says nothing.
  const bool is_other = true_rate_ != 0 && std::abs(rate / true_rate_ - 1) > most_change;
  if (!is_other) true_rate_ = rate;
  if (is_other || measured > most_measured_ps) since_ = both;
}

void fast_clock::set(const pair& from, double rate) noexcept {
  const std::uint32_t version = version_.load(std::memory_order_relaxed);
  version_.store(version + 1, std::memory_order_relaxed);
  // Release, all: who sees one of them sees that the version is odd, or more.
  ticks_.store(from.ticks, std::memory_order_release);
  ps_.store(from.ps, std::memory_order_release);
  rate_.store(rate, std::memory_order_release);
  good_for_.store(static_cast<std::uint64_t>(between_comparisons_ps / rate),
                  std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

duration fast_clock::compare() noexcept {
  if (!by_counter_ || comparing_.exchange(true, std::memory_order_acquire)) return steady_now();
  struct end {
    std::atomic<bool>& comparing;
    ~end() { comparing.store(false, std::memory_order_release); }
  } const at_last{comparing_};
  pair both;
  if (!read(both)) return std::max(steady_now(), duration::from_ps(ps_.load()));
  // At most: it tells nothing beyond the ticks that it is good for.
  const std::int64_t told =
      ps_.load() + of_ticks(std::min(both.ticks - ticks_.load(), good_for_.load()));
  learn_rate(both);
  if (true_rate_ == 0) return duration::from_ps(both.ps);
  double rate = true_rate_;
  if (told > both.ps) {  // It is ahead: it goes on from what it told, slower until next time.
    rate *= 1 - std::min(0.5, static_cast<double>(told - both.ps) / between_comparisons_ps);
    both.ps = told;
  }
  set(both, rate);
  return duration::from_ps(both.ps);
}

}  // namespace upwash
