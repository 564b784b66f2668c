// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Watches the processes of a job without a launcher of upwash, through their pidfds.
#pragma once

#include <cstddef>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/detail/control_block.hpp"

namespace upwash::launch::detail {

class peer_watch {
 public:
  /// Watches the job of `block`. Processes are watched from their arrival on. `block` and `layout`
  /// must outlive this object.
  peer_watch(const control_block& block, const conduit::rank_layout& layout, int self);
  ~peer_watch();
  peer_watch(const peer_watch&) = delete;
  peer_watch& operator=(const peer_watch&) = delete;

  /// Returns whether a peer has died before it finished. Prints the one line about the death if
  /// this process is the first to see it. Cost: a system call each 10 ms, a clock read otherwise.
  [[nodiscard]] bool look() noexcept;

 private:
  void watch(int process) noexcept;
  [[nodiscard]] bool died(int process) noexcept;

  const control_block& block_;
  const conduit::rank_layout& layout_;
  int epoll_ = -1;
  std::vector<int> pidfds_;
  std::vector<int> asked_for_;  ///< processes without a pidfd: queried instead
  std::size_t turn_ = 0;        ///< index into `asked_for_`
  int unwatched_;               ///< processes that have not arrived yet
  duration next_;
  bool dead_ = false;
};

}  // namespace upwash::launch::detail
