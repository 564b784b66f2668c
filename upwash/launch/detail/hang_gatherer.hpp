// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks all ranks of a job for their status when one rank waits too long, and makes one report of
// the answers. Runs in the launcher, or in a process of the job if there is no launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/standing_gatherer.hpp"
#include "upwash/observe/hang_reporter.hpp"

namespace upwash::launch::detail {

/// The gatherer for a job that is entirely on this machine.
class hang_gatherer {
 public:
  /// `block` must outlive this object.
  explicit hang_gatherer(const control_block& block)
      : block_(block), standings_(block, 0, block.ranks()) {}

  /// Requests a report, whether or not anything has changed.
  void ask() noexcept { wanted_ = true; }

  /// Asks when a rank has hung, takes the answers in later calls, and returns the report once all
  /// have answered or timed out. Called often; nonblocking. Cheap when nothing hangs.
  [[nodiscard]] std::optional<std::string> look(duration now);

 private:
  const control_block& block_;
  standing_gatherer standings_;
  observe::hang_reporter reporter_;
  bool wanted_ = false;
  std::uint32_t hangs_ = 0;  ///< hangs that have led to a question
};

}  // namespace upwash::launch::detail
