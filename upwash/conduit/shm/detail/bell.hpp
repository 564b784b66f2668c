// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A word in shared memory on which the thread beside a rank sleeps until somebody has work for it.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace upwash::conduit::shm_detail {

class bell {
 public:
  /// Blocks until `ring`, unless `has_work()`, which is asked once more when ringers can see that
  /// the thread is about to sleep. May return early.
  template <class HasWork>
  void sleep_unless(const HasWork& has_work) noexcept {
    asleep_.store(1, std::memory_order_relaxed);
    // With the fence of `ring`: either the work is seen here, or the word is seen there.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!has_work()) futex(FUTEX_WAIT, 1);
    asleep_.store(0, std::memory_order_relaxed);
  }

  /// What was published before is seen: by the thread, which wakes if it sleeps. A fence, and a
  /// system call if it does.
  void ring() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_relaxed) == 0) return;
    if (asleep_.exchange(0, std::memory_order_relaxed) != 0) futex(FUTEX_WAKE, 1);
  }

 private:
  void futex(int operation, std::uint32_t value) noexcept {
    syscall(SYS_futex, &asleep_, operation, value, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> asleep_;  ///< zero in fresh memory
};
static_assert(sizeof(bell) == sizeof(std::uint32_t), "it is the kernel's word");

}  // namespace upwash::conduit::shm_detail
