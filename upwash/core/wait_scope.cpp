// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/wait_scope.hpp"

#include "upwash/core/detail/job_state.hpp"

namespace upwash {

wait_scope::wait_scope(job& here, const conduit::wait_reason& reason) noexcept : here_(here) {
  detail::job_state& state = detail::job_access::state(here_);
  outermost_ = !state.waiting.under_way();
  if (outermost_) state.waiting.begin(reason);
}

wait_scope::~wait_scope() {
  if (!outermost_) return;
  detail::job_state& state = detail::job_access::state(here_);
  state.waiting.end();
  state.idles = 0;
}

}  // namespace upwash
