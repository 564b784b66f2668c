// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather (all-to-all multicast): every member contributes items, and every member gets the
// contributions of all.
//
// The choice of the algorithm depends on the bytes of a contribution, the size and layout of the
// team, and whether its members share memory. A rank receives P - 1 contributions. Collective.
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

/// Copies `mine` of member i to item i * mine.size() of `all` at all members. All members give the
/// same number of items. `mine` and `all` do not overlap and belong to the call until the request
/// is complete. Nonblocking, collective. Throws `error` (argument) if the sizes do not fit.
///
/// @code
/// const int mine = world.rank();
/// std::vector<int> ranks(static_cast<std::size_t>(world.size()));
/// upwash::all_gather(world, upwash::blocking, std::span(&mine, 1), ranks);
/// // ranks[i] == i at every member
/// @endcode
template <class T>
[[nodiscard]] request all_gather(const team& among, std::span<const std::type_identity_t<T>> mine,
                                 std::span<T> all, const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::all_gather_call<T>(among, mine, all, false, how, site));
}
/// Blocking form of the call above.
template <class T>
void all_gather(const team& among, blocking_t, std::span<const std::type_identity_t<T>> mine,
                std::span<T> all, const collective_options& how = {},
                call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_gather_call<T>(among, mine, all, false, how, site));
}
/// Persistent form of the call above, to be started often.
template <class T>
[[nodiscard]] collective::persistent all_gather(const team& among, persist_t,
                                                std::span<const std::type_identity_t<T>> mine,
                                                std::span<T> all,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::all_gather_call<T>(among, mine, all, false, how, site));
}

/// In-place form: part i of `all` at member i holds its contribution. Nonblocking, collective.
template <class T>
[[nodiscard]] request all_gather(const team& among, in_place_t, std::span<T> all,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(among,
                                   detail::all_gather_call<T>(among, {}, all, true, how, site));
}
/// Blocking form of the call above.
template <class T>
void all_gather(const team& among, blocking_t, in_place_t, std::span<T> all,
                const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_gather_call<T>(among, {}, all, true, how, site));
}
/// Persistent form of the call above, to be started often.
template <class T>
[[nodiscard]] collective::persistent all_gather(const team& among, persist_t, in_place_t,
                                                std::span<T> all,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(among,
                                     detail::all_gather_call<T>(among, {}, all, true, how, site));
}

}  // namespace upwash
