// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/request.hpp"

#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

bool request::test() {
  if (done()) return true;
  ticket_->owner->progress();
  return done();
}

void request::wait() {
  if (ticket_ == nullptr) return;
  detail::ticket& held = *ticket_;
  if (!done()) {
    held.owner->wait(conduit::wait_target::counter_zero(held.pending), held.reason);
  }
}

void request::finish() noexcept {
  if (ticket_ == nullptr) return;
  // An error on the way out of a failing job must not end the process before its line is
  // printed: the ticket is then left to its pool's owner.
  try {
    wait();
  } catch (...) {
    ticket_ = nullptr;
    return;
  }
  detail::job_access::state(*ticket_->owner).tickets.give_back(ticket_);
  ticket_ = nullptr;
}

void wait_all(std::span<request> requests) {
  for (request& each : requests) each.wait();
}

std::size_t wait_any(std::span<request> requests) {
  if (requests.empty()) throw error(error_kind::argument, "wait_any of no requests");
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].done()) open.push_back(i);
  }
  if (open.empty()) return 0;
  struct query {
    std::span<request> requests;
    const std::vector<std::size_t>& open;
    [[nodiscard]] const std::size_t* first_done() const {
      for (const std::size_t& i : open) {
        if (requests[i].done()) return &i;
      }
      return nullptr;
    }
  } const query{requests, open};
  const auto any_done = [](const void* context) {
    return static_cast<const struct query*>(context)->first_done() != nullptr;
  };
  detail::request_access::owner(requests[open.front()])
      .wait(conduit::wait_target::predicate(any_done, &query), {.operation = "wait_any"});
  return *query.first_done();
}

void completion_counter::wait(job& here) {
  here.wait(conduit::wait_target::counter_zero(pending_), {.operation = "completion counter"});
}

}  // namespace upwash
