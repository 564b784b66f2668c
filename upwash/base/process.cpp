// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/process.hpp"

#include <unistd.h>

#include <cerrno>

namespace upwash::process {
namespace {

// Decision 0: the exception to "no mutable statics". A push-only list, so that a signal handler
// may walk it at any moment.
std::atomic<live_job*> live_jobs{nullptr};
std::atomic<int> rank_now{-1};

}  // namespace

live_job& enter(const void* job, std::size_t (*describe)(const void*, char*, std::size_t)) {
  for (live_job* entry = live_jobs.load(); entry != nullptr; entry = entry->next.load()) {
    const void* free = nullptr;
    if (entry->describe == describe && entry->job.compare_exchange_strong(free, job)) return *entry;
  }
  auto* entry = new live_job;  // kept for ever: a handler may be looking at it
  entry->describe = describe;
  entry->job.store(job);
  live_job* head = live_jobs.load();
  do {
    entry->next.store(head);
  } while (!live_jobs.compare_exchange_weak(head, entry));
  return *entry;
}

void leave(live_job& entry) noexcept { entry.job.store(nullptr); }

void report_live_jobs(int file_descriptor) noexcept {
  const int saved_errno = errno;
  char line[512];
  for (live_job* entry = live_jobs.load(); entry != nullptr; entry = entry->next.load()) {
    const void* job = entry->job.load();
    if (job == nullptr) continue;
    std::size_t length = entry->describe(job, line, sizeof line - 1);
    line[length++] = '\n';
    // Nothing can be done here about a closed standard error.
    [[maybe_unused]] const ssize_t written = write(file_descriptor, line, length);
  }
  errno = saved_errno;
}

void set_current_rank(int rank) noexcept { rank_now.store(rank, std::memory_order_relaxed); }
int current_rank() noexcept { return rank_now.load(std::memory_order_relaxed); }

}  // namespace upwash::process
