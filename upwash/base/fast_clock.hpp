// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steady clock, read through the processor's counter.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"

namespace upwash {

/// `steady_now()` for who reads it often: a third of its time where the kernel itself keeps time by
/// the processor's counter, else the same. Clocks of several processes of a machine agree: each
/// compares itself with the kernel's once a millisecond in which it is read, and is then right to
/// some tens of nanoseconds. It never goes back. One thread at a time.
class fast_clock {
 public:
  fast_clock() noexcept;

  /// Since the steady clock's start.
  [[nodiscard]] duration now() noexcept {
    const std::uint64_t since = counter() - ticks_;
    if (since < good_for_) [[likely]]
      return duration::from_ps(ps_ + static_cast<std::int64_t>(static_cast<double>(since) * rate_));
    return compare();
  }
  /// Whether the counter is used.
  [[nodiscard]] bool is_fast() const noexcept { return by_counter_; }

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
  [[nodiscard]] duration compare() noexcept;
  [[nodiscard]] static bool read(pair& both) noexcept;
  void learn_rate(const pair& both) noexcept;

  // Since the last comparison: time is ps_ and rate_ for each tick after ticks_.
  std::uint64_t ticks_ = 0;
  std::uint64_t good_for_ = 0;  ///< ticks; 0: the kernel's clock is read
  std::int64_t ps_ = 0;
  double rate_ = 0;  ///< picoseconds a tick

  bool by_counter_ = false;
  pair since_{};          ///< what the true rate is measured from
  double true_rate_ = 0;  ///< 0: not known yet
};

}  // namespace upwash
