// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast: copies the root's data to all members.
//
// The choice of the algorithm depends on the bytes, the root, and the size and layout of the team.
// Cost: P - 1 messages in total for each segment. Collective.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call broadcast_call(int root, std::span<T> data,
                                                            const collective_options& how,
                                                            call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {{.what = {.of = collective::kind::broadcast,
                    .bytes = data.size_bytes(),
                    .root = root,
                    .in_place = true},
           .how = how,
           .site = site},
          {.output = std::as_writable_bytes(data)}};
}

}  // namespace detail

/// Copies `data` of `root` to `data` of all members. All members give the same number of elements.
/// When the request is complete, a member may read `data` and the root may change it. Nonblocking,
/// collective. Throws `error` (argument) if the root is outside the team.
///
/// @code
/// std::vector<double> settings(16);
/// if (world.rank() == 0) settings[0] = 0.5;
/// upwash::broadcast(world, upwash::blocking, 0, std::span(settings));
/// @endcode
template <class T>
[[nodiscard]] request broadcast(const team& among, int root, std::span<T> data,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  return collective::detail::start(among, detail::broadcast_call(root, data, how, site));
}
/// Blocking form of the call above.
template <class T>
void broadcast(const team& among, blocking_t, int root, std::span<T> data,
               const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::broadcast_call(root, data, how, site));
}
/// Persistent form of the call above, to be started often.
template <class T>
[[nodiscard]] collective::persistent broadcast(const team& among, persist_t, int root,
                                               std::span<T> data,
                                               const collective_options& how = {},
                                               call_site site = call_site::current()) {
  return collective::detail::prepare(among, detail::broadcast_call(root, data, how, site));
}

}  // namespace upwash
