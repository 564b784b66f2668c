// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Watches the processes of a job that no launcher of upwash watches, through their pidfds.
#pragma once

#include <cstddef>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"

namespace upwash::launch::detail {

class peer_watch {
 public:
  /// Of the job of `block`, which outlives this. Processes are watched from their coming on.
  /// Both outlive it.
  peer_watch(const control_block& block, const conduit::rank_layout& layout, int self);
  ~peer_watch();
  peer_watch(const peer_watch&) = delete;
  peer_watch& operator=(const peer_watch&) = delete;

  /// Whether a peer has died before it finished; prints the one line about it when this process
  /// is the first to see it. A system call each 10 ms, a clock read otherwise.
  [[nodiscard]] bool look() noexcept;

 private:
  void watch(int process) noexcept;
  [[nodiscard]] bool died(int process) noexcept;

  const control_block& block_;
  const conduit::rank_layout& layout_;
  int epoll_ = -1;
  std::vector<int> pidfds_;
  std::vector<int> asked_for_;  ///< processes without one: whether they live is asked for
  std::size_t turn_ = 0;        ///< of them
  int unwatched_;               ///< processes that have not come yet
  duration next_;
  bool dead_ = false;
};

}  // namespace upwash::launch::detail
