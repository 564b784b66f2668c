// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For layers above core that carry out operations of their own (collectives, matching, streams):
// the other end of a request or notice.
#pragma once

#include "upwash/conduit/waiting.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

/// Where one operation of a layer is told. Plain and small, to be kept with the operation;
/// `complete` is called once, by the rank's own thread, in a handler or outside. An operation that
/// is given up need not be completed when the job is.
class completer {
 public:
  completer() = default;

  /// Tells: a request or counter at once, a callback in the next progress. Empty afterwards.
  void complete();

  [[nodiscard]] explicit operator bool() const noexcept { return here_ != nullptr; }

 private:
  friend struct detail::request_access;

  job* here_ = nullptr;
  std::atomic<std::uint32_t>* counter_ = nullptr;
  std::atomic<std::uint32_t>* also_ = nullptr;  ///< of the peer
  void (*function_)(void*) = nullptr;
  void* context_ = nullptr;
};

/// A new operation: the request for its caller, the completer for the layer that carries it out.
/// Its progress must be made by the layer's service, since a wait on the request does nothing else.
struct begun_operation {
  request handle;
  completer end;
};
[[nodiscard]] begun_operation begin_operation(job& here, const conduit::wait_reason& reason);

namespace detail {
/// For the destructor of a handle on an operation in flight, while an exception unwinds past it
/// that was not there when the handle was made: it does not wait, and the job's next progress
/// throws `error` (fault), since the operation may still use memory that is gone.
void let_go(job& owner, const conduit::wait_reason& reason) noexcept;
}  // namespace detail

/// The same for a caller who gave a notice. An empty notice gives a completer that tells nobody.
[[nodiscard]] completer begin_operation(job& here, const notice& where,
                                        const conduit::wait_reason& reason);

/// The same for an operation that the next `job.quiet()` completes.
[[nodiscard]] completer begin_operation(job& here, implicit_t);
/// The same towards a rank, for which `job.quiet(rank)` waits, too.
[[nodiscard]] completer begin_operation(job& here, implicit_t, int rank);

}  // namespace upwash
