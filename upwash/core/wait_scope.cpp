// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/wait_scope.hpp"

#include "upwash/core/detail/job_state.hpp"

namespace upwash {

wait_scope::wait_scope(job& here, const conduit::wait_reason& reason) noexcept : here_(here) {
  detail::job_state& state = detail::job_access::state(here_);
  outermost_ = state.waiting_for == nullptr;
  if (outermost_) state.waiting_for = &reason;
}

wait_scope::~wait_scope() {
  if (!outermost_) return;
  detail::job_state& state = detail::job_access::state(here_);
  state.waiting_for = nullptr;
  state.idles = 0;
  state.waiting_since_ps.store(0, std::memory_order_relaxed);  // a report may read an old one
}

}  // namespace upwash
