// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks all ranks of a job what they are in when one of them waits too long, and makes one report
// of the answers. In the launcher, or in a process of the job where there is no launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/standing_gatherer.hpp"
#include "upwash/observe/hang_reporter.hpp"

namespace upwash::launch::detail {

/// Of a job that is all on this machine.
class hang_gatherer {
 public:
  /// `block` outlives it.
  explicit hang_gatherer(const control_block& block)
      : block_(block), standings_(block, 0, block.ranks()) {}

  /// A report is wanted, whether or not anything has changed.
  void ask() noexcept { wanted_ = true; }

  /// Called often; nonblocking. Asks when a rank has hung, takes the answers in later calls, and
  /// returns the report once all have answered or had their time. Cheap when nothing hangs.
  [[nodiscard]] std::optional<std::string> look(duration now);

 private:
  const control_block& block_;
  standing_gatherer standings_;
  observe::hang_reporter reporter_;
  bool wanted_ = false;
  std::uint32_t hangs_ = 0;  ///< that have led to a question
};

}  // namespace upwash::launch::detail
