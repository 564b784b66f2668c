// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The other end of a request or notice, for layers above core that carry out their own operations
// (collectives, matching, streams).
#pragma once

#include "upwash/conduit/waiting.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

/// Reports the completion of one operation of a layer. Plain and small: the layer keeps it with the
/// operation. The rank's own thread calls `complete` once, in a handler or outside. If the job is
/// given up, pending operations need not be completed.
class completer {
 public:
  completer() = default;

  /// Reports completion: to a request or counter at once, to a callback in the next progress. Empty
  /// afterwards.
  void complete();

  [[nodiscard]] explicit operator bool() const noexcept { return here_ != nullptr; }

 private:
  friend struct detail::request_access;

  job* here_ = nullptr;
  std::atomic<std::uint32_t>* counter_ = nullptr;
  std::atomic<std::uint32_t>* also_ = nullptr;  ///< counter of the peer
  void (*function_)(void*) = nullptr;
  void* context_ = nullptr;
};

/// Starts an operation: the request is for the caller, the completer for the layer that carries it
/// out. The layer's service must make the operation's progress, because a wait on the request only
/// runs progress.
struct begun_operation {
  request handle;
  completer end;
};
[[nodiscard]] begun_operation begin_operation(job& here, const conduit::wait_reason& reason);

namespace detail {
/// For the destructor of a handle on an operation in flight, if an exception unwinds the stack that
/// was not active when the handle was made. The destructor does not wait. The job's next progress
/// throws `error` (fault), because the operation may still use memory that is gone.
void let_go(job& owner, const conduit::wait_reason& reason) noexcept;
}  // namespace detail

/// Starts an operation whose completion is reported to the caller's notice. An empty notice gives a
/// completer that reports to nothing.
[[nodiscard]] completer begin_operation(job& here, const notice& where,
                                        const conduit::wait_reason& reason);

/// Starts an operation that the next `job.quiet()` completes.
[[nodiscard]] completer begin_operation(job& here, implicit_t);
/// Starts an operation towards `rank`, for which `job.quiet(rank)` waits, too.
[[nodiscard]] completer begin_operation(job& here, implicit_t, int rank);

}  // namespace upwash
