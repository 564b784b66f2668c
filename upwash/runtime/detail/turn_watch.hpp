// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of ranks that share a process: variables of the program that two ranks changed, and ranks
// that kept the others waiting.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/switch_watch.hpp"
#include "upwash/privatize/variable_watch.hpp"

namespace upwash::runtime_detail {

class turn_watch final : public conduit::switch_watch {
 public:
  /// `limit`: of a turn while others could run; zero: none. A thread looks for turns that have
  /// lasted ten limits and continue. `variables`: whether the ranks share the variables of this
  /// process's executable.
  turn_watch(duration limit, bool variables);

  void turn_begins(int rank) noexcept override;
  void turn_ends(int rank, int others) noexcept override;

 private:
  void look_at_variables(int rank);
  void look_at_clock(int rank, int others);
  void look_for_endless(const std::stop_token& over);

  duration limit_;
  privatize::variable_watch variables_;
  int told_ = 0;           ///< variables with a line
  std::vector<int> slow_;  ///< ranks with a line
  /// Of the turn; the thread below reads them: 0 and -1 between turns.
  std::atomic<std::int64_t> since_ps_ = 0;
  std::atomic<int> running_ = -1;
  std::mutex waiting_;
  std::condition_variable_any over_;
  std::jthread looks_;  ///< last: uses the members above
};

}  // namespace upwash::runtime_detail
