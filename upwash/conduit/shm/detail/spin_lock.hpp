// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A lock for a few instructions, between a rank's thread and an optional progress thread.
#pragma once

#include <atomic>

#include "upwash/base/relax.hpp"

namespace upwash::conduit::shm_detail {

class spin_lock {
 public:
  // Acquire and release: what a lock is for.
  [[nodiscard]] bool try_lock() noexcept {
    return !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() noexcept {
    while (!try_lock()) relax();
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_ = false;
};

}  // namespace upwash::conduit::shm_detail
