// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What belongs to the operating-system process and not to a job: the list of live jobs (for
// signal handlers and reports) and the rank that runs now. The one place with mutable statics.
#pragma once

#include <atomic>
#include <cstddef>

namespace upwash::process {

/// One live job. Writes a line (no line end) that says what it waits for into `text`, at most
/// `size` bytes, and returns its length. Called from signal handlers: no allocation, no locks.
struct live_job {
  std::size_t (*describe)(const void* job, char* text, std::size_t size) = nullptr;
  std::atomic<const void*> job = nullptr;  ///< null: the entry is free
  std::atomic<live_job*> next = nullptr;
};

/// Enters a job; the entry returned is reused after `leave`, never freed while the process lives.
[[nodiscard]] live_job& enter(const void* job,
                              std::size_t (*describe)(const void*, char*, std::size_t));
void leave(live_job& entry) noexcept;
/// For all of them, by whoever drops the stacks on which the jobs of a failed run lie.
void leave_all() noexcept;

/// Writes one line for each live job to the file descriptor. Async-signal-safe.
void report_live_jobs(int file_descriptor) noexcept;

/// The world rank whose code runs on this process's driving thread; -1: none. Set by whoever
/// switches between ranks; the log and the reports read it.
void set_current_rank(int rank) noexcept;
[[nodiscard]] int current_rank() noexcept;

/// From now on it is also stored there, for other processes to see; null: nowhere any more.
void show_current_rank(std::atomic<int>* where) noexcept;

/// Stacks end to end, each above a guard page that ends its process when it is touched.
struct guarded_stacks {
  std::atomic<const std::byte*> first = nullptr;  ///< guard page; null: the entry is free
  std::atomic<std::size_t> stride = 0;            ///< from one guard page to the next
  std::atomic<std::size_t> guard_bytes = 0;
  std::atomic<std::size_t> count = 0;
  std::atomic<guarded_stacks*> next = nullptr;
};

/// Enters stacks; the entry is reused after `forget_stacks`, never freed while the process lives.
[[nodiscard]] guarded_stacks& note_stacks(const std::byte* first, std::size_t stride,
                                          std::size_t guard_bytes, std::size_t count);
void forget_stacks(guarded_stacks& entry) noexcept;

/// From now on a rank that overflows the stack of its fiber, or that of this thread, says so in one
/// line before it dies of the signal. Leaves a handler alone that the program has installed. Once a
/// process, on the thread that drives the ranks.
void tell_of_stack_overflow();

/// Where the process has several ranks: from now on the one that ends it by a fault of its own, by
/// abort, or by exit while it takes part in a job, says so in one line, behind the above.
void tell_who_ends_all();

/// Raises the soft limit of open descriptors to the hard one; whether it was lower.
bool raise_descriptor_limit() noexcept;

}  // namespace upwash::process
