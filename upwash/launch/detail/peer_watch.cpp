// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A pidfd becomes readable when its process ends, also as a zombie and whoever its parent is.
#include "upwash/launch/detail/peer_watch.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "upwash/base/process_facts.hpp"

namespace upwash::launch::detail {
namespace {

const duration interval = duration::from_us(10'000);

constexpr int absent = -1;       // a process that has not come yet
constexpr int unwatchable = -2;  // this one, or one that is gone

}  // namespace

peer_watch::peer_watch(const control_block& block, const conduit::rank_layout& layout, int self)
    : block_(block),
      layout_(layout),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      pidfds_(static_cast<std::size_t>(block.processes()), absent),
      unwatched_(block.processes() - 1) {
  pidfds_[static_cast<std::size_t>(self)] = unwatchable;
}

peer_watch::~peer_watch() {
  for (const int fd : pidfds_) {
    if (fd >= 0) close(fd);
  }
  if (epoll_ >= 0) close(epoll_);
}

void peer_watch::watch(int process) noexcept {
  const pid_t pid = block_.slot(process).pid.load();
  if (pid == 0) return;
  --unwatched_;
  int& fd = pidfds_[static_cast<std::size_t>(process)];
  fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  // Looked at behind the descriptor: the pid may be another process's by now.
  if (!process_lives(pid, block_.slot(process).started)) {
    dead_ = died(process) || dead_;
    return;
  }
  if (fd < 0) {
    fd = unwatchable;  // out of descriptors, or before Linux 5.3
    asked_for_.push_back(process);
    return;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = process;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

bool peer_watch::look() noexcept {
  if (dead_ || epoll_ < 0) return dead_;
  const duration now = steady_now();
  if (now < next_) return false;
  next_ = now + interval;
  for (int p = 0; p < block_.processes() && unwatched_ > 0; ++p) {
    if (pidfds_[static_cast<std::size_t>(p)] == absent) watch(p);
  }
  if (!dead_ && !asked_for_.empty()) {  // one in each look
    const int process = asked_for_[turn_++ % asked_for_.size()];
    const process_slot& slot = block_.slot(process);
    if (!process_lives(slot.pid.load(), slot.started)) dead_ = died(process);
  }
  epoll_event event{};
  while (!dead_ && epoll_wait(epoll_, &event, 1, 0) == 1) dead_ = died(event.data.fd);
  return dead_;
}

bool peer_watch::died(int process) noexcept {
  int& fd = pidfds_[static_cast<std::size_t>(process)];
  if (fd >= 0) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    close(fd);
  }
  fd = unwatchable;
  const process_slot& slot = block_.slot(process);
  if (slot.state.load() == process_state::finished) return false;
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "rank %d (pid %d) died; job ended",
                layout_.first_of(process), slot.pid.load());
  block_.fail(-1, 1, text.data(), true);
  return true;
}

}  // namespace upwash::launch::detail
