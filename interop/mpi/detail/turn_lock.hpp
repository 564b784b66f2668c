// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whose turn it is in upwash, where a program calls MPI from several threads: a job is used by one
// at a time.
#pragma once

#include <mutex>

namespace upwash::mpi {

/// Of one rank. Nothing but a look at a flag where there is one thread. Never taken by what the MPI
/// library calls back: MPICH holds a lock of its own then.
class turn_lock {
 public:
  explicit turn_lock(bool several_threads) noexcept : several_threads_(several_threads) {}

  [[nodiscard]] bool several_threads() const noexcept { return several_threads_; }
  void take() {
    if (several_threads_) mutex_.lock();
  }
  void give() {
    if (several_threads_) mutex_.unlock();
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
};

}  // namespace upwash::mpi
