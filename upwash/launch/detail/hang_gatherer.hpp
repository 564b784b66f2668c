// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks all ranks of a job what they are in when one of them waits too long, and makes one report
// of the answers. In the launcher, or in a process of the job where there is no launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"

namespace upwash::launch::detail {

class hang_gatherer {
 public:
  /// `block` outlives it.
  explicit hang_gatherer(const control_block& block) : block_(block) {}

  /// A report is wanted, whether or not anything has changed.
  void ask() noexcept { wanted_ = true; }

  /// Called often; nonblocking. Asks when a rank has hung, takes the answers in later calls, and
  /// returns the report once all have answered or had their time: the first line without a prefix.
  /// None while the ranks are in what the last report said. Cheap when nothing hangs.
  [[nodiscard]] std::optional<std::string> look(duration now);

 private:
  [[nodiscard]] bool all_answered() const noexcept;
  [[nodiscard]] std::vector<observe::standing> gathered() const;
  [[nodiscard]] std::optional<std::string> report();

  const control_block& block_;
  bool wanted_ = false;
  bool asking_ = false;
  duration asked_at_;
  std::uint32_t question_ = 0;
  std::uint32_t hangs_ = 0;     ///< that have led to a question
  std::uint64_t reported_ = 0;  ///< the state of the last report; 0: none
};

}  // namespace upwash::launch::detail
