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
  sigaddset(&wanted, SIGUSR1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP}) {
    struct sigaction now {};
    const bool ignored = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&wanted, signal);
  }
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

void attention::stop_process() noexcept {
  sigset_t stop;
  sigset_t before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, &before);
  raise(SIGTSTP);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

subreaper::subreaper() {
  prctl(PR_GET_CHILD_SUBREAPER, &before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

subreaper::~subreaper() { prctl(PR_SET_CHILD_SUBREAPER, before_); }

}  // namespace upwash::launch::detail
