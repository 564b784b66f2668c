// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time as integer picoseconds: exact sums, the same on every machine, with a range of 106 days.
// Used for virtual time and for real time.
#pragma once

#include <compare>
#include <cstdint>

namespace upwash {

/// A span of time, or a point in time since the start of the job.
class duration {
 public:
  constexpr duration() = default;

  /// Returns `ps` picoseconds.
  [[nodiscard]] static constexpr duration from_ps(std::int64_t ps) { return duration(ps); }
  /// Returns `ns` nanoseconds, rounded to the nearest picosecond.
  [[nodiscard]] static constexpr duration from_ns(double ns) {
    return duration(static_cast<std::int64_t>(ns * 1e3 + (ns < 0 ? -0.5 : 0.5)));
  }
  /// Returns `us` microseconds.
  [[nodiscard]] static constexpr duration from_us(double us) { return from_ns(us * 1e3); }
  /// Returns `s` seconds.
  [[nodiscard]] static constexpr duration from_seconds(double s) { return from_ns(s * 1e9); }
  /// Returns the longest duration: 2^63 - 1 picoseconds, between 106 and 107 days.
  [[nodiscard]] static constexpr duration max() { return duration(INT64_MAX); }

  [[nodiscard]] constexpr std::int64_t ps() const { return ps_; }  ///< in picoseconds, exactly
  /// Returns the nanoseconds.
  [[nodiscard]] constexpr double ns() const { return static_cast<double>(ps_) * 1e-3; }
  /// Returns the microseconds.
  [[nodiscard]] constexpr double us() const { return static_cast<double>(ps_) * 1e-6; }
  /// Returns the seconds.
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

  constexpr duration& operator+=(duration other) {
    ps_ += other.ps_;
    return *this;
  }
  constexpr duration& operator-=(duration other) {
    ps_ -= other.ps_;
    return *this;
  }
  friend constexpr duration operator+(duration a, duration b) { return duration(a.ps_ + b.ps_); }
  friend constexpr duration operator-(duration a, duration b) { return duration(a.ps_ - b.ps_); }
  friend constexpr duration operator*(duration a, std::int64_t n) { return duration(a.ps_ * n); }
  friend constexpr duration operator*(std::int64_t n, duration a) { return a * n; }
  friend constexpr auto operator<=>(duration, duration) = default;

 private:
  explicit constexpr duration(std::int64_t ps) : ps_(ps) {}

  std::int64_t ps_ = 0;
};

/// Returns the real time since an arbitrary start, from the steady clock (19 ns a call).
[[nodiscard]] duration steady_now() noexcept;

}  // namespace upwash
