// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The events that a stream reports to the code that sets its parameters, and the parameters that
// can change while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/base/duration.hpp"
#include "upwash/streaming/detail/records.hpp"

namespace upwash::streaming {

/// The reason why a message left.
enum class cause : std::uint8_t { full, threshold, timed_out, idle, asked, alone, urgent, fetched };

/// Returns a literal.
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
  duration since{};  ///< time of its first item, if there is a timeout; else zero
  common_part common{};
  std::span<const std::byte> bytes;  ///< records.hpp; only during the call
};

/// The parameters that can change while a stream runs, independently at each member.
struct parameters {
  int dimensions = 1;               ///< of the grid; constant if order counts
  std::size_t effective_bytes = 0;  ///< size at which a buffer is sent (Narayanan 2020: b f_t)
  std::size_t cutoff_bytes =
      0;               ///< items above it are not combined (b f_c); of one size: all or none
  duration timeout{};  ///< zero: none
};

/// Called once for each message, never for each item.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;

  /// Reports a departure. Also in handlers. The observer may set parameters; it must not push.
  virtual void sent(const departure& what) = 0;
  /// Reports that everything has been delivered everywhere. `idle_ns`: the idle time of all members
  /// together if it was added up, else 0.
  virtual void finished(std::uint64_t idle_ns) = 0;
  /// Returns this member's idle time since the last call.
  [[nodiscard]] virtual std::uint64_t idle_ns() const { return 0; }

 protected:
  ~observer() = default;
};

}  // namespace upwash::streaming
