// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A pidfd becomes readable when its process ends, also as a zombie and whoever its parent is.
#include "upwash/launch/detail/peer_watch.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace upwash::launch::detail {
namespace {

const duration interval = duration::from_us(10'000);

}  // namespace

peer_watch::peer_watch(const control_block& block, int self)
    : block_(block),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      pidfds_(static_cast<std::size_t>(block.processes()), -1) {
  for (int p = 0; p < block.processes() && epoll_ >= 0; ++p) {
    if (p == self) continue;
    const auto fd = static_cast<int>(syscall(SYS_pidfd_open, block.slot(p).pid.load(), 0));
    if (fd < 0) {
      if (errno == ESRCH) dead_ = died(p) || dead_;
      continue;
    }
    pidfds_[static_cast<std::size_t>(p)] = fd;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = p;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
}

peer_watch::~peer_watch() {
  for (const int fd : pidfds_) {
    if (fd >= 0) close(fd);
  }
  if (epoll_ >= 0) close(epoll_);
}

bool peer_watch::look() noexcept {
  if (dead_ || epoll_ < 0) return dead_;
  const duration now = steady_now();
  if (now < next_) return false;
  next_ = now + interval;
  epoll_event event{};
  while (!dead_ && epoll_wait(epoll_, &event, 1, 0) == 1) dead_ = died(event.data.fd);
  return dead_;
}

bool peer_watch::died(int process) noexcept {
  int& fd = pidfds_[static_cast<std::size_t>(process)];
  if (fd >= 0) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    close(fd);
    fd = -1;
  }
  const process_slot& slot = block_.slot(process);
  if (slot.state.load() == process_state::finished) return false;
  const auto per = static_cast<int>(block_.header().ranks_per_process);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "rank %d (pid %d) died; job ended", process * per,
                slot.pid.load());
  block_.fail(-1, 1, text.data(), true);
  return true;
}

}  // namespace upwash::launch::detail
