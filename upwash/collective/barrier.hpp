// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers: no member continues before all have arrived. The nonblocking form is also called a
// split-phase barrier.
//
// The choice of the algorithm depends on the size and layout of the team and on whether its members
// share memory. Cost: O(log P) messages a rank. Collective.
#pragma once

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

[[nodiscard]] inline collective::detail::bound_call barrier_call(const collective_options& how,
                                                                 call_site site) {
  return {{.what = {.of = collective::kind::barrier}, .how = how, .site = site}, {}};
}

}  // namespace detail

/// Starts a barrier. The request is complete when all members have called the function.
/// Nonblocking, collective.
[[nodiscard]] inline request barrier(const team& among, const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return collective::detail::start(among, detail::barrier_call(how, site));
}
/// Blocking form of the call above.
inline void barrier(const team& among, blocking_t, const collective_options& how = {},
                    call_site site = call_site::current()) {
  collective::detail::run(among, detail::barrier_call(how, site));
}
/// Persistent form of the call above, to be started often.
[[nodiscard]] inline collective::persistent barrier(const team& among, persist_t,
                                                    const collective_options& how = {},
                                                    call_site site = call_site::current()) {
  return collective::detail::prepare(among, detail::barrier_call(how, site));
}

}  // namespace upwash
