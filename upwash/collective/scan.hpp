// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scan (prefix reduction): rank r gets the combination of ranks 0 to r, in their order. The
// exclusive scan combines ranks 0 to r - 1.
//
// The choice of the algorithm depends on the bytes and the size of the team. Collective.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/reduction_call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class T, class Operator>
[[nodiscard]] collective::detail::bound_call scan_call(const team& among, const Operator& by,
                                                       collective::kind what,
                                                       std::span<const T> mine, std::span<T> result,
                                                       bool in_place, const collective_options& how,
                                                       call_site site) {
  if (!in_place) {
    collective::detail::check_size(among, what, "the result", result.size(), mine.size());
  }
  return collective::detail::reduction_call<T>(
      by, {.of = what, .bytes = result.size_bytes(), .in_place = in_place}, mine, result, how,
      site);
}

}  // namespace detail

/// Combines element i of `mine` of members 0 to r, in the order of the ranks, into element i of
/// `result` of member r. All members give the same number of elements. The first template argument
/// names the operator: `scan<sum>(team, ...)`; see reduction.hpp. The buffers do not overlap and
/// belong to the call until the request is complete. Nonblocking, collective. Throws `error`
/// (argument) if the sizes do not fit, or if no algorithm serves an operator that does not commute.
template <class Operator, class T>
[[nodiscard]] request scan(const team& among, std::span<const std::type_identity_t<T>> mine,
                           std::span<T> result, const collective_options& how = {},
                           call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::scan_call<T>(among, detail::named<Operator>(), collective::kind::scan, mine,
                                  result, false, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void scan(const team& among, blocking_t, std::span<const std::type_identity_t<T>> mine,
          std::span<T> result, const collective_options& how = {},
          call_site site = call_site::current()) {
  collective::detail::run(
      among, detail::scan_call<T>(among, detail::named<Operator>(), collective::kind::scan, mine,
                                  result, false, how, site));
}
/// Persistent form of the call above, to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent scan(const team& among, persist_t,
                                          std::span<const std::type_identity_t<T>> mine,
                                          std::span<T> result, const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::scan_call<T>(among, detail::named<Operator>(), collective::kind::scan, mine,
                                  result, false, how, site));
}

/// In-place form: `data` holds the contribution and afterwards the result. Nonblocking, collective.
template <class Operator, class T>
[[nodiscard]] request scan(const team& among, in_place_t, std::span<T> data,
                           const collective_options& how = {},
                           call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::scan_call<T>(among, detail::named<Operator>(), collective::kind::scan, {},
                                  data, true, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void scan(const team& among, blocking_t, in_place_t, std::span<T> data,
          const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(
      among, detail::scan_call<T>(among, detail::named<Operator>(), collective::kind::scan, {},
                                  data, true, how, site));
}
/// Persistent form of the call above, to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent scan(const team& among, persist_t, in_place_t,
                                          std::span<T> data, const collective_options& how = {},
                                          call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::scan_call<T>(among, detail::named<Operator>(), collective::kind::scan, {},
                                  data, true, how, site));
}

/// Combines element i of `mine` of members 0 to r - 1, in the order of the ranks, into element i of
/// `result` of member r. `result` of member 0 does not change. All members give the same number of
/// elements. The first template argument names the operator: `exclusive_scan<sum>(team, ...)`; see
/// reduction.hpp. The buffers do not overlap and belong to the call until the request is complete.
/// Nonblocking, collective. Throws `error` (argument) if the sizes do not fit, or if no algorithm
/// serves an operator that does not commute.
template <class Operator, class T>
[[nodiscard]] request exclusive_scan(const team& among,
                                     std::span<const std::type_identity_t<T>> mine,
                                     std::span<T> result, const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return collective::detail::start(among, detail::scan_call<T>(among, detail::named<Operator>(),
                                                               collective::kind::exclusive_scan,
                                                               mine, result, false, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void exclusive_scan(const team& among, blocking_t, std::span<const std::type_identity_t<T>> mine,
                    std::span<T> result, const collective_options& how = {},
                    call_site site = call_site::current()) {
  collective::detail::run(among, detail::scan_call<T>(among, detail::named<Operator>(),
                                                      collective::kind::exclusive_scan, mine,
                                                      result, false, how, site));
}
/// Persistent form of the call above, to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent exclusive_scan(const team& among, persist_t,
                                                    std::span<const std::type_identity_t<T>> mine,
                                                    std::span<T> result,
                                                    const collective_options& how = {},
                                                    call_site site = call_site::current()) {
  return collective::detail::prepare(among, detail::scan_call<T>(among, detail::named<Operator>(),
                                                                 collective::kind::exclusive_scan,
                                                                 mine, result, false, how, site));
}

/// In-place form: `data` holds the contribution and afterwards the result. Nonblocking, collective.
template <class Operator, class T>
[[nodiscard]] request exclusive_scan(const team& among, in_place_t, std::span<T> data,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::scan_call<T>(among, detail::named<Operator>(),
                                  collective::kind::exclusive_scan, {}, data, true, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void exclusive_scan(const team& among, blocking_t, in_place_t, std::span<T> data,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(
      among, detail::scan_call<T>(among, detail::named<Operator>(),
                                  collective::kind::exclusive_scan, {}, data, true, how, site));
}
/// Persistent form of the call above, to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent exclusive_scan(const team& among, persist_t, in_place_t,
                                                    std::span<T> data,
                                                    const collective_options& how = {},
                                                    call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::scan_call<T>(among, detail::named<Operator>(),
                                  collective::kind::exclusive_scan, {}, data, true, how, site));
}

}  // namespace upwash
