// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/attention.hpp"

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace upwash::launch::detail {

attention::attention() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&wanted, one);
  sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

attention::~attention() {
  if (fd_ >= 0) close(fd_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int attention::next() const noexcept {
  signalfd_siginfo info{};
  return read(fd_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

subreaper::subreaper() {
  prctl(PR_GET_CHILD_SUBREAPER, &before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

subreaper::~subreaper() { prctl(PR_SET_CHILD_SUBREAPER, before_); }

}  // namespace upwash::launch::detail
