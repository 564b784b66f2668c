// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank whose stack is a fiber, and whose Python function runs in a thread of its own: the thread
// hands each call of upwash to the fiber, and waits (docs/decisions/0035-python-beside-fibers.md).
#pragma once

#include <semaphore.h>

#include <exception>
#include <thread>

#include "interop/python/detail/python.hpp"
#include "upwash/base/function_ref.hpp"

namespace upwash::python {

/// Whose turn it is. POSIX's semaphore: the timed wait of the standard library's sleeps on a clock
/// of its own first, up to milliseconds.
class baton {
 public:
  baton() { sem_init(&mark_, 0, 0); }
  ~baton() { sem_destroy(&mark_); }
  baton(const baton&) = delete;
  baton& operator=(const baton&) = delete;

  void give() { sem_post(&mark_); }
  [[nodiscard]] bool take_now() { return sem_trywait(&mark_) == 0; }
  /// Looks some hundred times, and gives the core on some times, before it sleeps.
  void take();
  /// False after 100 ms in vain.
  [[nodiscard]] bool take_soon();

 private:
  [[nodiscard]] bool seen();

  sem_t mark_;
};

/// Either the fiber runs or the thread does: both touch the rank's state without locks.
class rank_thread {
 public:
  rank_thread() : driver_(std::this_thread::get_id()) {}

  /// On the fiber: carries out what the thread asks for until it has ended. Without Python's lock.
  void serve();
  /// On the thread: has `what` run on the fiber, which may let other ranks run. Rethrows what it
  /// throws; what ends a rank because another one has failed is kept (`stopped`), and raised as
  /// upwash.RankStopped. Without Python's lock.
  void call(function_ref<void()> what);
  /// On the thread: there are no more calls.
  void end();

  /// Whether the caller is on the thread that drives the fibers, as handlers are.
  [[nodiscard]] bool drives() const noexcept { return std::this_thread::get_id() == driver_; }
  /// What ended the rank, to be thrown on by the fiber; null: nothing.
  [[nodiscard]] const std::exception_ptr& stopped() const noexcept { return stopped_; }
  /// Whom Ctrl-C interrupts: Python's number of the thread.
  void set_identity(unsigned long number) noexcept { identity_ = number; }

 private:
  void carry_out();
  void pass_signals_on() const;

  const std::thread::id driver_;
  unsigned long identity_ = 0;
  baton asked_;
  baton answered_;
  const function_ref<void()>* what_ = nullptr;  ///< null: the thread has ended
  std::exception_ptr thrown_;
  std::exception_ptr stopped_;
};

}  // namespace upwash::python
