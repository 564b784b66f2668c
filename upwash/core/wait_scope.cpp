// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/wait_scope.hpp"

#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/side_fiber.hpp"

namespace upwash {

wait_scope::wait_scope(job& here, const conduit::wait_reason& reason) noexcept : here_(here) {
  detail::shown_wait& shown = shown_now();
  outermost_ = !shown.under_way();
  if (outermost_) shown.begin(reason);
}

wait_scope::~wait_scope() {
  if (!outermost_) return;
  shown_now().end();
  detail::job_state& state = detail::job_access::state(here_);
  if (state.aside == nullptr) state.idles = 0;
}

/// A fiber aside has its own.
detail::shown_wait& wait_scope::shown_now() const noexcept {
  detail::job_state& state = detail::job_access::state(here_);
  return state.aside != nullptr ? state.aside->shown_ : state.waiting;
}

}  // namespace upwash
