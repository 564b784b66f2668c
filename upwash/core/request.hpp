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

/// What a request refers to. Pooled per job; lives as long as its request.
struct ticket {
  std::atomic<std::uint32_t> pending{0};  ///< stages still to come
  job* owner = nullptr;
  int exceptions = 0;      ///< that were unwinding when it was made
  wait_reason reason;      ///< for the stall report
  ticket* next = nullptr;  ///< in the pool
};

struct request_access;

}  // namespace detail

/// An operation in flight on one rank. Move-only; an empty request is complete. Destroying an
/// unfinished one waits for it; an error meanwhile, or a destruction in a handler, which cannot
/// wait, is thrown by the job's next progress. While an exception unwinds the stack it lets go of
/// the operation instead, which may need peers that this rank will never answer again: the job
/// cannot go on, and its next progress says so. Belongs to the rank that made it.
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

  /// Whether it is complete. Makes progress when it is not. Nonblocking.
  bool test();

  /// Blocks until it is complete; makes progress for others meanwhile. Not from a handler.
  void wait(call_site site = call_site::current());

  /// Whether it stands for no operation: none was given, or it was moved, detached, or reported by
  /// one of request_sets.hpp. An operation that is complete on return gives an empty one.
  [[nodiscard]] bool empty() const noexcept { return ticket_ == nullptr; }

  /// Lets the operation go on without a handle; its buffers must stay. The next `job.quiet()` waits
  /// for it. What fails is thrown by the job's progress, as of an implicit operation. O(1)
  /// amortised, nonblocking, also in handlers. Empty afterwards.
  void detach() noexcept;

  /// Whether it was complete when last looked at; no progress.
  [[nodiscard]] bool done() const noexcept {
    // Acquire: pairs with the release of whoever tells, so the data is there when this is true.
    return ticket_ == nullptr || ticket_->pending.load(std::memory_order_acquire) == 0;
  }

 private:
  friend struct detail::request_access;
  explicit request(detail::ticket* held) : ticket_(held) {}

  void finish() noexcept;

  detail::ticket* ticket_ = nullptr;
};

/// Blocks until all are complete.
void wait_all(std::span<request> requests, call_site site = call_site::current());

/// Counts operations in flight: pass it to several, wait for all of them at once. It must outlive
/// them.
class completion_counter {
 public:
  completion_counter() = default;
  completion_counter(const completion_counter&) = delete;
  completion_counter& operator=(const completion_counter&) = delete;

  /// Whether none is under way; no progress.
  [[nodiscard]] bool done() const noexcept { return pending_.load(std::memory_order_acquire) == 0; }
  /// Blocks until every operation told to it so far is complete.
  void wait(job& here, call_site site = call_site::current());

 private:
  friend struct detail::request_access;
  std::atomic<std::uint32_t> pending_{0};
};

/// Where one stage of an operation is told: nowhere, at a request, a counter, or a callback that
/// runs in progress, outside handlers, on the rank's own stack. Callbacks never nest: one may start
/// operations, but must not wait for what another callback does. The callbacks of an operation
/// that fails are not called.
class notice {
 public:
  notice() = default;
  /// At a request, which is overwritten.
  static notice to(request& where) {
    notice n;
    n.request_ = &where;
    return n;
  }
  /// At a counter, which goes up now and down when the stage is complete.
  static notice to(completion_counter& where) {
    notice n;
    n.counter_ = &where;
    return n;
  }
  /// By calling `function(context)` when the stage is complete.
  static notice call(void (*function)(void*), void* context) {
    notice n;
    n.function_ = function;
    n.context_ = context;
    return n;
  }
  /// For layers, of a stage that no program waits for: `free` of a region waits for it, and does
  /// not refuse to.
  static notice call_in_background(void (*function)(void*), void* context) {
    notice n = call(function, context);
    n.in_background_ = true;
    return n;
  }
  /// Whether a function is called.
  [[nodiscard]] bool is_callback() const noexcept { return function_ != nullptr; }
  /// Whether nothing is told.
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

/// Both stages. local: the source may be reused, or the fetched data read. remote: the data is
/// visible at the target.
struct notices {
  notice local;
  notice remote;
};

/// Tag: the operation is completed by the next `job.quiet()`, which also frees its source.
struct implicit_t {};
inline constexpr implicit_t implicit{};

}  // namespace upwash
