// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The control block of a job whose processes another launcher starts: those on this machine find it
// by the descriptor of `upwash run`. There they tell what their ranks are in, that they have
// finished, since launchers see no failure in a process that exits with 0 before that, and which
// other host they have lost, since some launchers end them before they can say so.
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

/// Of a job that is on other hosts too: its processes there cannot be asked. The name that a
/// launcher's descriptor shows.
inline constexpr const char* reaching_all = "upwash-control";
inline constexpr const char* reaching_some = "upwash-some-of-a-job";

class foreign_board {
 public:
  /// Throws `error` (system).
  explicit foreign_board(const job_map& map);
  ~foreign_board();
  foreign_board(const foreign_board&) = delete;
  foreign_board& operator=(const foreign_board&) = delete;

  /// For the knob boot_board.
  [[nodiscard]] std::string name() const;
  /// All processes are on this machine.
  [[nodiscard]] bool reaches_all() const noexcept { return reaches_all_; }
  [[nodiscard]] hang_gatherer& hangs() noexcept { return hangs_; }
  /// Descriptors to wait for: processes that have joined the job. Each turn of the launcher's loop
  /// looks which of them are gone.
  void add_descriptors(std::vector<pollfd>& fds) const;
  void look();
  /// The process that was the first to be gone before it had finished, else one that has joined and
  /// not finished; -1: none.
  [[nodiscard]] int unfinished() const noexcept;
  /// Whether a process here has ever joined the job.
  [[nodiscard]] bool was_joined() const noexcept;
  /// Which host a process here has lost, as a failure's line says it; empty: none.
  [[nodiscard]] std::string_view lost() const noexcept;

 private:
  bool reaches_all_;
  int fd_;
  control_block block_;
  hang_gatherer hangs_;
  std::vector<int> watched_;  ///< by process: its pidfd; -1: it has not come, or is gone
  int first_gone_ = -1;
};

}  // namespace upwash::launch::detail
