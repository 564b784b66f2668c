// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/request.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash {
namespace {

/// Each failing operation throws once; what throws more often never ends.
constexpr int most_errors = 1000;

}  // namespace

namespace detail {

void let_go(job& owner, const conduit::wait_reason& reason) noexcept {
  job_access::set_fault(
      owner,
      std::make_exception_ptr(error(
          error_kind::fault,
          fmt::format("rank {}: an exception went past an operation in flight: {} (peer {}, {} "
                      "bytes), which may still use its buffer: the job cannot go on "
                      "after that; wait for operations before leaving their scope",
                      owner.rank(), reason.operation, reason.peer, reason.bytes))));
}

}  // namespace detail

bool request::test() {
  if (done()) return true;
  ticket_->owner->progress();
  return done();
}

void request::wait(call_site site) {
  if (ticket_ == nullptr) return;
  detail::ticket& held = *ticket_;
  if (done()) return;
  try {
    wait_reason why = held.reason;
    if (why.site.line == 0) why.site = site;
    host(*held.owner).wait(conduit::wait_target::counter_zero(held.pending), why);
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    ticket_ = nullptr;  // the job is being ended: nothing is to wait again. It stays with its pool
    throw;
  }
}

void request::finish() noexcept {
  if (ticket_ == nullptr) return;
  detail::ticket* held = std::exchange(ticket_, nullptr);
  job& owner = *held->owner;
  if (held->pending.load(std::memory_order_acquire) != 0 &&
      std::uncaught_exceptions() > held->exceptions) {
    // What is waited for may need peers that wait for this rank's next words, in vain.
    return detail::let_go(owner, held->reason);  // the ticket stays with its pool's owner
  }
  // A destructor cannot throw: the first error becomes the job's, thrown by its next progress. The
  // wait goes on as long as it can, since the operation may still write to the caller's memory.
  std::exception_ptr failure;
  for (int errors = 1; held->pending.load(std::memory_order_acquire) != 0; ++errors) {
    try {
      host(owner).wait(conduit::wait_target::counter_zero(held->pending), held->reason);
    } catch (const std::exception&) {
      if (!failure) failure = std::current_exception();
      const bool hopeless = owner.in_handler() || detail::job_access::failed(owner);
      if (!hopeless && errors < most_errors) continue;
      detail::job_access::set_fault(owner, failure);
      return;  // the ticket stays with its pool's owner
    } catch (...) {
      return;  // the job is being ended
    }
  }
  if (failure) detail::job_access::set_fault(owner, failure);
  detail::job_access::state(owner).tickets.give_back(held);
}

void request::detach() noexcept {
  if (ticket_ == nullptr) return;
  detail::ticket* held = std::exchange(ticket_, nullptr);
  detail::job_access::state(*held->owner).detached.add(held);
}

void wait_all(std::span<request> requests, call_site site) {
  for (request& each : requests) each.wait(site);
}

void completion_counter::wait(job& here, call_site site) {
  host(here).wait(conduit::wait_target::counter_zero(pending_),
                  {.operation = "completion counter", .site = site});
}

}  // namespace upwash
