// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers: nobody is through before all have come. Nonblocking forms are also called split-phase.
//
// Chosen on: the size and layout of the team, whether its members share memory. Messages: O(log P)
// a rank. Collective over the team.
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

/// The request is complete when all members have called it.
[[nodiscard]] inline request barrier(const team& among, const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return collective::detail::start(among, detail::barrier_call(how, site));
}
/// The same, blocking.
inline void barrier(const team& among, blocking_t, const collective_options& how = {},
                    call_site site = call_site::current()) {
  collective::detail::run(among, detail::barrier_call(how, site));
}
/// The same, set up to be started often.
[[nodiscard]] inline collective::persistent barrier(const team& among, persist_t,
                                                    const collective_options& how = {},
                                                    call_site site = call_site::current()) {
  return collective::detail::prepare(among, detail::barrier_call(how, site));
}

}  // namespace upwash
