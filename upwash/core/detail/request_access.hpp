// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Connects requests, counters and notices with the engines: makes tickets and stage targets.
#pragma once

#include <exception>

#include "upwash/core/completer.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/operation.hpp"
#include "upwash/core/request.hpp"

namespace upwash::detail {

struct request_access {
  /// Returns a request with `stages` outstanding, and the counter that ends them.
  static request make(job& here, std::uint32_t stages, const conduit::wait_reason& reason) {
    ticket* made = job_access::state(here).tickets.take();
    made->owner = &here;
    made->exceptions = std::uncaught_exceptions();
    made->reason = reason;
    made->pending.store(stages, std::memory_order_relaxed);
    return request(made);
  }

  static std::atomic<std::uint32_t>& counter(const request& of) { return of.ticket_->pending; }

  static job& owner(const request& of) { return *of.ticket_->owner; }

  /// Returns the target of one stage, and counts the stage as outstanding. A request without a
  /// ticket gets one.
  static stage_target target(job& here, const notice& where, const conduit::wait_reason& reason) {
    if (where.request_ != nullptr) {
      if (where.request_->ticket_ == nullptr) *where.request_ = make(here, 0, reason);
      return counted(where.request_->ticket_->pending);
    }
    if (where.counter_ != nullptr) return counted(where.counter_->pending_);
    return {nullptr, where.function_, where.context_, nullptr, where.in_background_};
  }

  static completer completer_of(job& here, const stage_target& target) {
    completer end;
    end.here_ = &here;
    end.counter_ = target.counter;
    end.also_ = target.also;
    end.function_ = target.function;
    end.context_ = target.context;
    return end;
  }

  /// Returns the target of an implicit operation towards a rank. The next quiet of all ranks, or of
  /// that rank, waits for it.
  static stage_target implicit_towards(job& here, int rank) {
    job_state& state = job_access::state(here);
    const bool exists = rank >= 0 && rank < here.size();  // else the engine rejects it
    stage_target made = counted(state.implicit_pending);
    if (exists) made.also = counted(state.memory.implicit_towards(rank)).counter;
    return made;
  }

  static stage_target counted(std::atomic<std::uint32_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);  // only the count; its end is a release
    return {&counter, nullptr, nullptr, nullptr};
  }
};

}  // namespace upwash::detail
