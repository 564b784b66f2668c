// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The signals that a launcher takes while it lives.
#pragma once

#include <signal.h>

namespace upwash::launch::detail {

/// SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGUSR1 as a descriptor, except those of the first four
/// that this process ignores: nohup, and shells without job control, want it to. Restores the mask
/// at its end.
class attention {
 public:
  attention();
  ~attention();
  attention(const attention&) = delete;
  attention& operator=(const attention&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }

  /// The next signal that came, or 0.
  [[nodiscard]] int next() const noexcept;

  /// Stops this process as SIGTSTP does; returns when it goes on. An orphaned process group, which
  /// nobody could let go on, is not stopped.
  static void stop_process() noexcept;

 private:
  sigset_t before_{};
  int fd_ = -1;
};

/// While it lives, this process is the parent of whatever its processes leave behind.
class subreaper {
 public:
  subreaper();
  ~subreaper();
  subreaper(const subreaper&) = delete;
  subreaper& operator=(const subreaper&) = delete;

 private:
  int before_ = 0;
};

}  // namespace upwash::launch::detail
