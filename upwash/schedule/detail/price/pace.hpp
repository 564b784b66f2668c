// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank goes through rounds that repeat: the time of two spans of rounds, one behind the other
// and as long. They double until whoever looks at all ranks finds them alike.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"

namespace upwash::schedule::detail {

class pace {
 public:
  struct mark {
    duration at;
    duration processor;  ///< busy so far
    duration port;       ///< all that was handed over has left
  };

  /// Forgets what was seen; the next `transient` units do not count either.
  void restart(std::uint32_t phase, std::uint32_t transient) {
    *this = {};
    phase_ = phase;
    ignored_ = transient;
  }
  [[nodiscard]] std::uint32_t phase() const noexcept { return phase_; }

  /// The end of one more unit.
  void see(const mark& here) {
    if (ignored_ != 0) {
      --ignored_;
      return;
    }
    const std::uint32_t unit = seen_++;
    if (unit == 0) begin_ = here;
    if (unit == span_) middle_ = here;
    if (unit != 2 * span_) return;
    units_ = span_;
    before_ = middle_.at - begin_.at;
    latest_ = {here.at - middle_.at, here.processor - middle_.processor, here.port - middle_.port};
    middle_ = here;
    span_ *= 2;
  }

  /// Units in a span, when two were last complete; 0: never yet.
  [[nodiscard]] std::uint32_t units() const noexcept { return units_; }
  [[nodiscard]] const mark& latest() const noexcept { return latest_; }
  /// Time of the span before the latest.
  [[nodiscard]] duration before() const noexcept { return before_; }

 private:
  std::uint32_t phase_ = 0;
  std::uint32_t ignored_ = 0;
  std::uint32_t seen_ = 0;
  std::uint32_t span_ = 1;
  std::uint32_t units_ = 0;
  mark begin_;
  mark middle_;
  mark latest_;
  duration before_;
};

}  // namespace upwash::schedule::detail
