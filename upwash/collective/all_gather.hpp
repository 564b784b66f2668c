// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather (all-to-all multicast): everybody's data at everybody.
//
// Chosen on: bytes of a contribution, the size and layout of the team, whether its members share
// memory. Bytes received: (P - 1) contributions a rank. Collective over the team.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call all_gather_call(const team& among,
                                                             std::span<const T> mine,
                                                             std::span<T> all, bool in_place,
                                                             const collective_options& how,
                                                             call_site site) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto members = static_cast<std::size_t>(among.size());
  const std::size_t each = in_place ? all.size() / members : mine.size();
  collective::detail::check_size(among, collective::kind::all_gather, "the output", all.size(),
                                 each * members);
  return {{.what = {.of = collective::kind::all_gather,
                    .bytes = each * sizeof(T),
                    .element_bytes = sizeof(T),
                    .in_place = in_place},
           .how = how,
           .site = site},
          {.input = std::as_bytes(mine), .output = std::as_writable_bytes(all)}};
}

}  // namespace detail

/// `mine` of member i lands at i * mine.size() of `all`, at all members; as many elements
/// everywhere. `mine` and `all` do not overlap. Throws `error` (argument) where the sizes do not
/// fit.
template <class T>
[[nodiscard]] request all_gather(const team& among, std::span<const std::type_identity_t<T>> mine,
                                 std::span<T> all, const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::all_gather_call<T>(among, mine, all, false, how, site));
}
/// The same, blocking.
template <class T>
void all_gather(const team& among, blocking_t, std::span<const std::type_identity_t<T>> mine,
                std::span<T> all, const collective_options& how = {},
                call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_gather_call<T>(among, mine, all, false, how, site));
}
/// The same, set up to be started often.
template <class T>
[[nodiscard]] collective::persistent all_gather(const team& among, persist_t,
                                                std::span<const std::type_identity_t<T>> mine,
                                                std::span<T> all,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::all_gather_call<T>(among, mine, all, false, how, site));
}

/// The same; member i's part of `all` holds its contribution.
template <class T>
[[nodiscard]] request all_gather(const team& among, in_place_t, std::span<T> all,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::all_gather_call<T>(among, {}, all, true, how, site));
}
/// The same, blocking.
template <class T>
void all_gather(const team& among, blocking_t, in_place_t, std::span<T> all,
                const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_gather_call<T>(among, {}, all, true, how, site));
}
/// The same, set up to be started often.
template <class T>
[[nodiscard]] collective::persistent all_gather(const team& among, persist_t, in_place_t,
                                                std::span<T> all,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(among,
                                     detail::all_gather_call<T>(among, {}, all, true, how, site));
}

}  // namespace upwash
