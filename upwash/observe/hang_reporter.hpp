// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Decides when the status of a job's ranks is worth a report. Used by the gathering process.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "upwash/observe/standing.hpp"

namespace upwash::observe {

/// Makes reports of the status of all ranks of a job, and no report twice.
class hang_reporter {
 public:
  /// Returns a report; its first line has no prefix. Returns none if the status equals the last
  /// report, or if no rank waits, unless `wanted` is set.
  [[nodiscard]] std::optional<std::string> report(std::span<const standing> all, bool wanted);

  /// Returns the state of the last report (hang_report.hpp), 0 before the first.
  [[nodiscard]] std::uint64_t reported() const noexcept { return reported_; }
  /// Notes that another process has reported that state.
  void note_reported(std::uint64_t state) noexcept { reported_ = state; }

 private:
  std::uint64_t reported_ = 0;
};

}  // namespace upwash::observe
