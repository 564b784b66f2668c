// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/fast_clock.hpp"

#include <algorithm>
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
  true_rate_ = static_cast<double>(measured) / static_cast<double>(both.ticks - since_.ticks);
  if (measured > most_measured_ps) since_ = both;
}

duration fast_clock::compare() noexcept {
  pair both;
  if (!by_counter_ || !read(both)) return std::max(steady_now(), duration::from_ps(ps_));
  const std::int64_t told =
      true_rate_ == 0
          ? 0
          : ps_ + static_cast<std::int64_t>(static_cast<double>(both.ticks - ticks_) * rate_);
  learn_rate(both);
  ticks_ = both.ticks;
  ps_ = both.ps;
  if (true_rate_ == 0) return duration::from_ps(ps_);
  good_for_ = static_cast<std::uint64_t>(between_comparisons_ps / true_rate_);
  rate_ = true_rate_;
  if (told > ps_) {  // It is ahead: it goes on from what it told, slower until the next comparison.
    rate_ *= 1 - std::min(0.5, static_cast<double>(told - ps_) / between_comparisons_ps);
    ps_ = told;
  }
  return duration::from_ps(ps_);
}

}  // namespace upwash
