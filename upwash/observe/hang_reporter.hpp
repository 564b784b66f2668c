// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// When what the ranks of a job are in is worth a report: used by whoever gathers it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "upwash/observe/standing.hpp"

namespace upwash::observe {

/// Makes reports of what all ranks of a job are in, and none twice.
class hang_reporter {
 public:
  /// The first line without a prefix. None while the ranks are in what the last report said, or no
  /// rank waits, unless it is `wanted` all the same.
  [[nodiscard]] std::optional<std::string> report(std::span<const standing> all, bool wanted);

  /// The state of the last report (hang_report.hpp), 0 before the first.
  [[nodiscard]] std::uint64_t reported() const noexcept { return reported_; }
  /// Another one has reported that state.
  void note_reported(std::uint64_t state) noexcept { reported_ = state; }

 private:
  std::uint64_t reported_ = 0;
};

}  // namespace upwash::observe
