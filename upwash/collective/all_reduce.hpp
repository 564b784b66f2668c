// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce: the combination of everybody's vectors, at everybody.
//
// Chosen on: bytes, whether the operator commutes, the size and layout of the team. Collective over
// the team.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/reduction_call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class T, class Operator>
[[nodiscard]] collective::detail::bound_call all_reduce_call(const team& among, const Operator& by,
                                                             std::span<const T> mine,
                                                             std::span<T> result, bool in_place,
                                                             const collective_options& how,
                                                             call_site site) {
  if (!in_place) {
    collective::detail::check_size(among, collective::kind::all_reduce, "the result", result.size(),
                                   mine.size());
  }
  return collective::detail::reduction_call<T>(
      by, {.of = collective::kind::all_reduce, .bytes = result.size_bytes(), .in_place = in_place},
      mine, result, how, site);
}

}  // namespace detail

/// Element i of `result` is the combination, by the operator, of element i of all members' `mine`.
/// As many elements everywhere; the buffers do not overlap.
/// The operator is named as the first template argument: `all_reduce<sum>(team, ...)`; see
/// reduction.hpp. Throws `error` (argument) where the sizes do not fit, or no algorithm
/// serves an operator that does not commute.
template <class Operator, class T>
[[nodiscard]] request all_reduce(const team& among, std::span<const std::type_identity_t<T>> mine,
                                 std::span<T> result, const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(
      among,
      detail::all_reduce_call<T>(among, detail::named<Operator>(), mine, result, false, how, site));
}
/// The same, blocking.
template <class Operator, class T>
void all_reduce(const team& among, blocking_t, std::span<const std::type_identity_t<T>> mine,
                std::span<T> result, const collective_options& how = {},
                call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_reduce_call<T>(among, detail::named<Operator>(), mine,
                                                            result, false, how, site));
}
/// The same, set up to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent all_reduce(const team& among, persist_t,
                                                std::span<const std::type_identity_t<T>> mine,
                                                std::span<T> result,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(
      among,
      detail::all_reduce_call<T>(among, detail::named<Operator>(), mine, result, false, how, site));
}

/// The same; `data` holds the contribution and then the result.
template <class Operator, class T>
[[nodiscard]] request all_reduce(const team& among, in_place_t, std::span<T> data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(
      among,
      detail::all_reduce_call<T>(among, detail::named<Operator>(), {}, data, true, how, site));
}
/// The same, blocking.
template <class Operator, class T>
void all_reduce(const team& among, blocking_t, in_place_t, std::span<T> data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_reduce_call<T>(among, detail::named<Operator>(), {},
                                                            data, true, how, site));
}
/// The same, set up to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent all_reduce(const team& among, persist_t, in_place_t,
                                                std::span<T> data,
                                                const collective_options& how = {},
                                                call_site site = call_site::current()) {
  return collective::detail::prepare(
      among,
      detail::all_reduce_call<T>(among, detail::named<Operator>(), {}, data, true, how, site));
}

}  // namespace upwash
