// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/completer.hpp"

#include <utility>

#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/request_access.hpp"
#include "upwash/core/job.hpp"

namespace upwash {

void completer::complete() {
  job* here = std::exchange(here_, nullptr);
  if (here != nullptr) {
    detail::job_access::state(*here).memory.tell({counter_, function_, context_, also_});
  }
}

begun_operation begin_operation(job& here, const conduit::wait_reason& reason) {
  request made = detail::request_access::make(here, 1, reason);
  const detail::stage_target target{&detail::request_access::counter(made), nullptr, nullptr};
  return {std::move(made), detail::request_access::completer_of(here, target)};
}

completer begin_operation(job& here, const notice& where, const conduit::wait_reason& reason) {
  return detail::request_access::completer_of(here,
                                              detail::request_access::target(here, where, reason));
}

completer begin_operation(job& here, implicit_t) {
  return detail::request_access::completer_of(
      here, detail::request_access::counted(detail::job_access::state(here).implicit_pending));
}

completer begin_operation(job& here, implicit_t, int rank) {
  detail::job_access::state(here).memory.check_rank(rank);
  return detail::request_access::completer_of(here,
                                              detail::request_access::implicit_towards(here, rank));
}

}  // namespace upwash
