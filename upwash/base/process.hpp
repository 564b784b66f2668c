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

/// Writes one line for each live job to the file descriptor. Async-signal-safe.
void report_live_jobs(int file_descriptor) noexcept;

/// The world rank whose code runs on this process's driving thread; -1: none. Set by whoever
/// switches between ranks; the log and the reports read it.
void set_current_rank(int rank) noexcept;
[[nodiscard]] int current_rank() noexcept;

}  // namespace upwash::process
