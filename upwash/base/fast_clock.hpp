// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steady clock, read through the processor's counter.
#pragma once

#include <atomic>
#include <cstdint>

#include "upwash/base/duration.hpp"

namespace upwash {

/// A faster `steady_now()` for frequent reads. Takes less than half the time if the kernel itself
/// keeps time by the processor's counter, else the same time. Clocks of several processes of a
/// machine agree to some tens of nanoseconds: each clock compares itself with the kernel's once in
/// each millisecond in which it is read. A clock that only one thread reads never goes back. From
/// any thread.
class fast_clock {
 public:
  fast_clock() noexcept;

  /// Returns the time since the steady clock's start.
  [[nodiscard]] duration now() noexcept {
    // All loads acquire, so that the second read of the version happens after them.
    const std::uint32_t version = version_.load(std::memory_order_acquire);
    const std::uint64_t since = counter() - ticks_.load(std::memory_order_acquire);
    const std::uint64_t good_for = good_for_.load(std::memory_order_acquire);
    const std::int64_t ps = ps_.load(std::memory_order_acquire) + of_ticks(since);
    const bool is_whole = version_.load(std::memory_order_relaxed) == version;
    if (since < good_for && is_whole && version % 2 == 0) [[likely]]
      return duration::from_ps(ps);
    return compare();
  }

 private:
  /// The counter and the kernel's clock at one moment.
  struct pair {
    std::uint64_t ticks = 0;
    std::int64_t ps = 0;
  };

  [[nodiscard]] static std::uint64_t counter() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
  }
  [[nodiscard]] std::int64_t of_ticks(std::uint64_t ticks) const noexcept {
    return static_cast<std::int64_t>(static_cast<double>(ticks) *
                                     rate_.load(std::memory_order_acquire));
  }
  [[nodiscard]] duration compare() noexcept;
  void set(const pair& from, double rate) noexcept;
  [[nodiscard]] static bool read(pair& both) noexcept;
  void learn_rate(const pair& both) noexcept;

  // Since the last comparison: time is ps_ and rate_ for each tick after ticks_.
  std::atomic<std::uint32_t> version_ = 0;  ///< odd during changes
  std::atomic<std::uint64_t> ticks_ = 0;
  std::atomic<std::uint64_t> good_for_ = 0;  ///< ticks; 0: read the kernel's clock
  std::atomic<std::int64_t> ps_ = 0;
  std::atomic<double> rate_ = 0;  ///< picoseconds a tick

  bool by_counter_ = false;
  // Used by the comparing thread.
  std::atomic<bool> comparing_ = false;
  pair since_{};          ///< start of the measurement of the true rate
  double true_rate_ = 0;  ///< 0: not known yet
};

}  // namespace upwash
