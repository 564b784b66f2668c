// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whose turn it is in upwash, where a program calls MPI from several threads: a job is used by one
// at a time.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace upwash::mpi {

/// Of one rank. Nothing but a look at a flag where there is one thread. What the MPI library calls
/// back never waits for it: MPICH holds a lock of its own then.
class turn_lock {
 public:
  explicit turn_lock(bool several_threads) noexcept : several_threads_(several_threads) {}

  [[nodiscard]] bool several_threads() const noexcept { return several_threads_; }
  void take() {
    if (!several_threads_) return;
    mutex_.lock();
    whose_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  /// False where it is another's turn, or this thread's already.
  [[nodiscard]] bool try_take() {
    if (!several_threads_) return true;
    const auto me = std::this_thread::get_id();
    if (whose_.load(std::memory_order_relaxed) == me || !mutex_.try_lock()) return false;
    whose_.store(me, std::memory_order_relaxed);
    return true;
  }
  void give() {
    if (!several_threads_) return;
    whose_.store({}, std::memory_order_relaxed);
    mutex_.unlock();
  }

  /// While it lives another thread may have its turn: around what waits in the MPI library.
  class given {
   public:
    explicit given(turn_lock& of) : of_(of) { of_.give(); }
    ~given() { of_.take(); }
    given(const given&) = delete;
    given& operator=(const given&) = delete;

   private:
    turn_lock& of_;
  };

 private:
  const bool several_threads_;
  std::mutex mutex_;
  std::atomic<std::thread::id> whose_{};
};

}  // namespace upwash::mpi
