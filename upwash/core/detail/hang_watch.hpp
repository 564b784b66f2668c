// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wait of a rank as its own thread, signal handlers and the job's report see it.
#pragma once

#include <atomic>
#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/observe/hang_board.hpp"

namespace upwash {
class job;
}

namespace upwash::detail {

/// The outermost wait of a rank. Written by its thread. A signal handler may run on another thread
/// and see parts of two waits, but never freed memory.
class shown_wait {
 public:
  void begin(const conduit::wait_reason& why) noexcept {
    peer_.store(why.peer, relaxed);
    tag_.store(why.tag, relaxed);
    bytes_.store(why.bytes, relaxed);
    team_.store(why.team, relaxed);
    number_.store(why.number, relaxed);
    counted_.store(why.counted, relaxed);
    on_team_.store(why.on_team, relaxed);
    file_.store(why.site.file, relaxed);
    line_.store(why.site.line, relaxed);
    // Release: a handler that sees the operation also sees the other fields.
    operation_.store(why.operation, std::memory_order_release);
  }
  void end() noexcept {
    operation_.store(nullptr, relaxed);
    since_ps.store(0, relaxed);  // a report may read an old value
  }
  [[nodiscard]] bool under_way() const noexcept { return operation_.load(relaxed) != nullptr; }
  /// Returns the reason. `operation` is null if the rank does not wait.
  [[nodiscard]] conduit::wait_reason reason() const noexcept {
    conduit::wait_reason why;
    why.operation = operation_.load(std::memory_order_acquire);
    why.peer = peer_.load(relaxed);
    why.tag = tag_.load(relaxed);
    why.bytes = bytes_.load(relaxed);
    why.team = team_.load(relaxed);
    why.number = number_.load(relaxed);
    why.counted = counted_.load(relaxed);
    why.on_team = on_team_.load(relaxed);
    why.site = {file_.load(relaxed), line_.load(relaxed)};
    return why;
  }

  std::atomic<std::int64_t> since_ps{0};  ///< on the steady clock; 0: it has not idled yet

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;

  std::atomic<const char*> operation_{nullptr};
  std::atomic<int> peer_{-1};
  std::atomic<int> tag_{-1};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> team_{0};
  std::atomic<std::uint64_t> number_{0};
  std::atomic<observe::series> counted_{observe::series::none};
  std::atomic<bool> on_team_{false};
  std::atomic<const char*> file_{""};
  std::atomic<std::uint32_t> line_{0};
};

/// Decides when the rank reports a long wait, and answers questions about its status.
struct hang_watch {
  observe::hang_board* board = nullptr;
  std::uint32_t answered = 0;         ///< the last question
  bool reported = false;              ///< this wait is reported
  std::int64_t polling_since_ps = 0;  ///< in a loop over job::progress

  /// Returns whether a question about this rank's status is open. One load.
  [[nodiscard]] bool asked() const noexcept {
    return board != nullptr && board->question().load(std::memory_order_relaxed) != answered;
  }
};

/// Handles a wait that has lasted `waited`: answers a question, and reports once that the wait is
/// too long. Reports to the board of the whole job if there is one, else for this rank on standard
/// error. Not in a signal handler.
void tell_of_wait(job& here, duration waited);

/// Returns the rank's status, with the pending work of its layers. Not in a signal handler.
[[nodiscard]] observe::standing standing_of(const job& here);

/// Writes a line (without line end) about the job's wait into `text`, at most `size` bytes. Returns
/// the line's length. Async-signal-safe.
[[nodiscard]] std::size_t describe_wait(const void* job, char* text, std::size_t size);

}  // namespace upwash::detail
