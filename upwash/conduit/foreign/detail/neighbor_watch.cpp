// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process holds a robust mutex that its watcher waits for. The kernel gives it up before it
// closes the dead process's sockets and wakes its parent: so a watcher learns of the death before
// the launcher does, which may kill it next.
#include "upwash/conduit/foreign/detail/neighbor_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <latch>
#include <new>

#include "upwash/base/log.hpp"
#include "upwash/base/private_memfd.hpp"
#include "upwash/base/process_facts.hpp"
#include "upwash/conduit/failure_line.hpp"
#include "upwash/conduit/foreign/detail/quiet_thread.hpp"

namespace upwash::conduit::foreign {
namespace {

constexpr std::int64_t look_ns = 500'000'000;  // at whether it was stopped

/// Null where it cannot be had.
life_sign* map_sign(int descriptor) {
  if (descriptor < 0) return nullptr;
  void* at = mmap(nullptr, sizeof(life_sign), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return at == MAP_FAILED ? nullptr : static_cast<life_sign*>(at);
}

/// Of a process that still runs; its memory stays when that ends.
life_sign* sign_of(const watched_process& of) {
  const std::string path = fmt::format("/proc/{}/fd/{}", of.pid, of.sign);
  const int descriptor = of.sign < 0 ? -1 : open(path.c_str(), O_RDWR | O_CLOEXEC);
  life_sign* sign = map_sign(descriptor);
  if (descriptor >= 0) close(descriptor);
  return sign;
}

void make_robust(pthread_mutex_t& mutex) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  pthread_mutexattr_destroy(&kind);
}

/// Until the mutex is free, its owner dead (EOWNERDEAD), or the time has passed (ETIMEDOUT).
int wait_a_while(pthread_mutex_t& mutex) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  const std::int64_t ns = until.tv_nsec + look_ns;
  until.tv_sec += ns / 1'000'000'000;
  until.tv_nsec = ns % 1'000'000'000;
  return pthread_mutex_timedlock(&mutex, &until);
}

}  // namespace

watched_process neighbor_watch::show_self() {
  watched_process self{getpid(), -1, process_started(getpid())};
  const int descriptor = private_memfd("upwash-life-sign");
  if (descriptor < 0 || ftruncate(descriptor, sizeof(life_sign)) != 0) return self;
  own_ = map_sign(descriptor);
  if (own_ == nullptr) return self;
  self.sign = descriptor;
  new (own_) life_sign{};
  make_robust(own_->held);
  std::latch holds(1);
  start_without_signals([this, &holds] {
    pthread_mutex_lock(&own_->held);
    holds.count_down();
    has_neighbor_.acquire();
    keep_watching();
  });
  holds.wait();
  return self;
}

void neighbor_watch::settle() noexcept {
  if (own_ != nullptr) own_->settled = true;
}

void neighbor_watch::watch(const watched_process& neighbor, const std::string& name,
                           const std::string& where) {
  name_ = fmt::format("{} (pid {}{})", name, neighbor.pid, where);
  where_ = where;
  pid_ = neighbor.pid;
  sign_ = sign_of(neighbor);
  // Looked at behind the sign: the pid may be another process's by now.
  if (own_ == nullptr || sign_ == nullptr || !process_lives(neighbor.pid, neighbor.started)) {
    return log(log_level::info, "launch", fmt::format("cannot watch {}", name_));
  }
  has_neighbor_.release();
}

/// The thread never returns: its end would be this process's to whoever watches it.
void neighbor_watch::keep_watching() {
  int answer = ETIMEDOUT;
  while (answer == ETIMEDOUT) {
    answer = wait_a_while(sign_->held);
    if (answer == ETIMEDOUT) look_whether_stopped();
  }
  if (answer == EOWNERDEAD && !sign_->settled) listener_.died(died_line(name_));
  for (;;) pause();
}

void neighbor_watch::look_whether_stopped() {
  if ((run_state_of(pid_) == 'T') == stopped_) return;
  stopped_ = !stopped_;
  listener_.changed(stopped_ ? stopped_line(name_, pid_, where_) : goes_on_line(name_));
}

}  // namespace upwash::conduit::foreign
