// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The handle of an operation in flight, and the counter and callback forms of completion.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "upwash/base/call_site.hpp"
#include "upwash/observe/wait_reason.hpp"

namespace upwash {

class job;

namespace detail {

/// The state of the operation that a request refers to. Pooled per job; lives as long as its
/// request.
struct ticket {
  std::atomic<std::uint32_t> pending{0};  ///< stages still to come
  job* owner = nullptr;
  int exceptions = 0;      ///< uncaught exceptions when it was made
  wait_reason reason;      ///< for the stall report
  ticket* next = nullptr;  ///< next free one in the pool
};

struct request_access;

}  // namespace detail

/// An operation in flight on one rank. Move-only; an empty request is complete. Belongs to the rank
/// that made it.
///
/// The destructor of an unfinished request waits for the operation. An error during this wait, or
/// destruction in a handler, which cannot wait, is thrown by the job's next progress. While an
/// exception unwinds the stack the destructor does not wait, because the operation may need peers
/// that this rank will never answer again. The job then cannot continue, and its next progress says
/// so.
class [[nodiscard]] request {
 public:
  request() = default;
  request(request&& other) noexcept : ticket_(std::exchange(other.ticket_, nullptr)) {}
  request& operator=(request&& other) noexcept {
    if (this != &other) {
      finish();
      ticket_ = std::exchange(other.ticket_, nullptr);
    }
    return *this;
  }
  ~request() {
    if (ticket_ != nullptr) finish();
  }

  /// Returns whether the operation is complete. Makes progress if not. Nonblocking.
  bool test();

  /// Blocks until the operation is complete; makes progress for others meanwhile. Not from a
  /// handler.
  void wait(call_site site = call_site::current());

  /// Returns whether the request stands for no operation. It was never given one, or was moved,
  /// detached, or reported by a function of request_sets.hpp. An operation that is complete on
  /// return gives an empty request.
  [[nodiscard]] bool empty() const noexcept { return ticket_ == nullptr; }

  /// Lets the operation continue without a handle. Its buffers must stay valid. The next
  /// `job.quiet()` waits for the operation. A failure is thrown by the job's progress, as for an
  /// implicit operation. O(1) amortised, nonblocking, also in handlers. Empty afterwards.
  void detach() noexcept;

  /// Returns whether the operation was complete at the last look. Makes no progress.
  [[nodiscard]] bool done() const noexcept {
    // Acquire: pairs with the release of the completing thread, so the data is there when this is
    // true.
    return ticket_ == nullptr || ticket_->pending.load(std::memory_order_acquire) == 0;
  }

 private:
  friend struct detail::request_access;
  explicit request(detail::ticket* held) : ticket_(held) {}

  void finish() noexcept;

  detail::ticket* ticket_ = nullptr;
};

/// Blocks until all requests are complete.
void wait_all(std::span<request> requests, call_site site = call_site::current());

/// Counts operations in flight: pass one counter to several operations and wait for all of them at
/// once. It must outlive the operations.
class completion_counter {
 public:
  completion_counter() = default;
  completion_counter(const completion_counter&) = delete;
  completion_counter& operator=(const completion_counter&) = delete;

  /// Returns whether no operation is in flight. Makes no progress.
  [[nodiscard]] bool done() const noexcept { return pending_.load(std::memory_order_acquire) == 0; }
  /// Blocks until every operation that uses this counter so far is complete.
  void wait(job& here, call_site site = call_site::current());

 private:
  friend struct detail::request_access;
  std::atomic<std::uint32_t> pending_{0};
};

/// The destination for the completion of one stage of an operation: none, a request, a counter, or
/// a callback.
///
/// A callback runs in progress, outside handlers, on the rank's own stack. Callbacks never nest: a
/// callback may start operations, but must not wait for the effect of another callback. The
/// callbacks of a failed operation are not called.
class notice {
 public:
  notice() = default;
  /// Reports completion to a request, which is overwritten.
  static notice to(request& where) {
    notice n;
    n.request_ = &where;
    return n;
  }
  /// Reports completion to a counter, which is raised now and lowered when the stage is complete.
  static notice to(completion_counter& where) {
    notice n;
    n.counter_ = &where;
    return n;
  }
  /// Calls `function(context)` when the stage is complete.
  static notice call(void (*function)(void*), void* context) {
    notice n;
    n.function_ = function;
    n.context_ = context;
    return n;
  }
  /// Calls `function(context)` for a stage that no program waits for. For layers: `free` of a
  /// region waits for the stage instead of refusing.
  static notice call_in_background(void (*function)(void*), void* context) {
    notice n = call(function, context);
    n.in_background_ = true;
    return n;
  }
  /// Returns whether completion calls a function.
  [[nodiscard]] bool is_callback() const noexcept { return function_ != nullptr; }
  /// Returns whether completion is reported nowhere.
  [[nodiscard]] bool empty() const noexcept {
    return request_ == nullptr && counter_ == nullptr && function_ == nullptr;
  }

 private:
  friend struct detail::request_access;
  request* request_ = nullptr;
  completion_counter* counter_ = nullptr;
  void (*function_)(void*) = nullptr;
  void* context_ = nullptr;
  bool in_background_ = false;
};

/// The notices of both stages. local: the source may be reused, or the fetched data read. remote:
/// the data is visible at the target.
struct notices {
  notice local;
  notice remote;
};

/// Tag: the next `job.quiet()` completes the operation. The source may then be reused.
struct implicit_t {};
inline constexpr implicit_t implicit{};

}  // namespace upwash
