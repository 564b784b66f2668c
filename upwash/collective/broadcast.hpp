// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast: the root's data at all members.
//
// Chosen on: bytes, root, the size and layout of the team. Messages: P - 1 in all for each segment.
// Collective over the team.
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

/// `data` of `root` goes to `data` of all: as many elements everywhere. It may be read, and at the
/// root changed, when the request is complete. Throws `error` (argument) for a root outside the
/// team.
template <class T>
[[nodiscard]] request broadcast(const team& among, int root, std::span<T> data,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  return collective::detail::start(among, detail::broadcast_call(root, data, how, site));
}
/// The same, blocking.
template <class T>
void broadcast(const team& among, blocking_t, int root, std::span<T> data,
               const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::broadcast_call(root, data, how, site));
}
/// The same, set up to be started often.
template <class T>
[[nodiscard]] collective::persistent broadcast(const team& among, persist_t, int root,
                                               std::span<T> data,
                                               const collective_options& how = {},
                                               call_site site = call_site::current()) {
  return collective::detail::prepare(among, detail::broadcast_call(root, data, how, site));
}

}  // namespace upwash
