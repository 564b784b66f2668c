// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The control block of a job whose processes another launcher starts. Processes on this machine
// find it by the descriptor of `upwash run`. They post their ranks' status and a lost host, because
// some launchers end them before they can report it. They also post that they have finished:
// launchers see no failure in a process that exits with 0 before that.
#pragma once

#include <poll.h>

#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/launch/detail/control_block.hpp"
#include "upwash/launch/detail/hang_gatherer.hpp"
#include "upwash/launch/detail/job_map.hpp"

namespace upwash::launch::detail {

/// The names that a launcher's descriptor shows: `reaching_all` for a job on this machine only,
/// `reaching_some` for a job on other hosts too, whose processes there cannot be asked.
inline constexpr const char* reaching_all = "upwash-control";
inline constexpr const char* reaching_some = "upwash-some-of-a-job";

class foreign_board {
 public:
  /// Throws `error` (system).
  explicit foreign_board(const job_map& map);
  ~foreign_board();
  foreign_board(const foreign_board&) = delete;
  foreign_board& operator=(const foreign_board&) = delete;

  /// Returns the value for the knob boot_board.
  [[nodiscard]] std::string name() const;
  /// Returns whether all processes are on this machine.
  [[nodiscard]] bool reaches_all() const noexcept { return reaches_all_; }
  [[nodiscard]] hang_gatherer& hangs() noexcept { return hangs_; }
  /// Adds the descriptors to wait for: processes that have joined the job. Each turn of the
  /// launcher's loop checks which processes are gone.
  void add_descriptors(std::vector<pollfd>& fds) const;
  void look();
  /// Returns the process that was the first to be gone before it had finished. If there is none,
  /// returns one that has joined and not finished; -1: none.
  [[nodiscard]] int unfinished() const noexcept;
  /// Returns whether a process here has ever joined the job.
  [[nodiscard]] bool was_joined() const noexcept;
  /// Returns the host that a process here has lost, in the words of a failure's line; empty: none.
  [[nodiscard]] std::string_view lost() const noexcept;

 private:
  bool reaches_all_;
  int fd_;
  control_block block_;
  hang_gatherer hangs_;
  std::vector<int> watched_;  ///< by process: its pidfd; -1: not joined, or gone
  int first_gone_ = -1;
};

}  // namespace upwash::launch::detail
