// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// State of the operating-system process, independent of jobs: the list of live jobs (for signal
// handlers and reports) and the running rank. The one place with mutable statics.
#pragma once

#include <atomic>
#include <cstddef>

namespace upwash::process {

/// One live job. `describe` writes a line (without line end) about the job's wait into `text`, at
/// most `size` bytes, and returns its length. Called from signal handlers: no allocation, no locks.
struct live_job {
  std::size_t (*describe)(const void* job, char* text, std::size_t size) = nullptr;
  std::atomic<const void*> job = nullptr;  ///< null: the entry is free
  std::atomic<live_job*> next = nullptr;
};

/// Adds a job. The returned entry is reused after `leave`, never freed while the process lives.
[[nodiscard]] live_job& enter(const void* job,
                              std::size_t (*describe)(const void*, char*, std::size_t));
void leave(live_job& entry) noexcept;
/// Removes all jobs. Called before the stacks on which the jobs of a failed run lie are dropped.
void leave_all() noexcept;

/// Writes one line for each live job to the file descriptor. Async-signal-safe.
void report_live_jobs(int file_descriptor) noexcept;

/// The world rank whose code runs on this process's driving thread; -1: none. The code that
/// switches between ranks sets it; the log and the reports read it.
void set_current_rank(int rank) noexcept;
[[nodiscard]] int current_rank() noexcept;

/// From now on also stores the current rank in `where`, for other processes to see. Null ends this.
void show_current_rank(std::atomic<int>* where) noexcept;

/// Stacks end to end, each above a guard page. Touching the guard page ends the process.
struct guarded_stacks {
  std::atomic<const std::byte*> first = nullptr;  ///< guard page; null: the entry is free
  std::atomic<std::size_t> stride = 0;            ///< from one guard page to the next
  std::atomic<std::size_t> guard_bytes = 0;
  std::atomic<std::size_t> count = 0;
  std::atomic<guarded_stacks*> next = nullptr;
};

/// Adds stacks. The entry is reused after `forget_stacks`, never freed while the process lives.
[[nodiscard]] guarded_stacks& note_stacks(const std::byte* first, std::size_t stride,
                                          std::size_t guard_bytes, std::size_t count);
void forget_stacks(guarded_stacks& entry) noexcept;

/// Installs a handler for stack overflow: a rank that overflows the stack of its fiber, or the
/// stack of this thread, reports this in one line before it dies of the signal. A handler that the
/// program has installed stays. Called once a process, on the thread that drives the ranks.
void tell_of_stack_overflow();

/// For processes with several ranks: from now on the rank that ends the process by its own fault,
/// by abort, or by exit during a job is reported in one line, after the line above.
void tell_who_ends_all();

/// Raises the soft limit of open descriptors to the hard limit. Returns whether the soft limit was
/// lower.
bool raise_descriptor_limit() noexcept;

}  // namespace upwash::process
