// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What whoever sets a stream's parameters is told, and what can be set while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/duration.hpp"
#include "upwash/streaming/detail/records.hpp"

namespace upwash::streaming {

/// Why a message left.
enum class cause : std::uint8_t { full, threshold, timed_out, idle, asked, alone, urgent, fetched };

/// A literal.
[[nodiscard]] constexpr const char* to_string(cause why) noexcept {
  switch (why) {
    case cause::full: return "full";
    case cause::threshold: return "threshold";
    case cause::timed_out: return "timed_out";
    case cause::idle: return "idle";
    case cause::asked: return "asked";
    case cause::alone: return "alone";
    case cause::urgent: return "urgent";
    case cause::fetched: break;
  }
  return "fetched";
}

/// A message of a stream that has left.
struct departure {
  cause why = cause::full;
  content kind = content::arrived;
  int hop = -1;  ///< world rank of its receiver
  std::uint32_t items = 0;
  duration since{};  ///< when its first item came, where there is a timeout; else zero
  common_part common{};
  std::span<const std::byte> bytes;  ///< records.hpp; only during the call
};

/// What can change while a stream runs, at each member for itself.
struct parameters {
  int dimensions = 1;               ///< of the grid; stays where order counts
  std::size_t effective_bytes = 0;  ///< a buffer with so many is sent (Narayanan 2020: b f_t)
  std::size_t cutoff_bytes =
      0;               ///< items above it are not combined (b f_c); of one size: all or none
  duration timeout{};  ///< zero: none
};

/// Told once for each message, never for each item.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;

  /// In handlers, too. It may set parameters; it must not push.
  virtual void sent(const departure& what) = 0;
  /// Everything has been delivered everywhere; the members idled so long together, where that was
  /// added up. Else 0.
  virtual void finished(std::uint64_t idle_ns) = 0;
  /// How long this one did, since the last time.
  [[nodiscard]] virtual std::uint64_t idle_ns() const { return 0; }

 protected:
  ~observer() = default;
};

}  // namespace upwash::streaming
