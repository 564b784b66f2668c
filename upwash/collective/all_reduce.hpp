// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce: every member contributes a vector, and every member gets their combination.
//
// The choice of the algorithm depends on the bytes, on whether the operator commutes, and on the
// size and layout of the team. Collective.
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

/// Combines element i of all members' `mine` with the operator and stores the result in element i
/// of `result` at all members. All members give the same number of elements. The first template
/// argument names the operator: `all_reduce<sum>(team, ...)`; see reduction.hpp. The buffers do not
/// overlap and belong to the call until the request is complete. Nonblocking, collective. Throws
/// `error` (argument) if the sizes do not fit, or if no algorithm serves an operator that does not
/// commute.
///
/// @code
/// std::vector<double> mine(8, 1.0);
/// std::vector<double> total(8);
/// upwash::request sum = upwash::all_reduce<upwash::sum>(world, mine, total);
/// // computes something else
/// sum.wait();  // total[i] == world.size() at every member
/// @endcode
template <class Operator, class T>
[[nodiscard]] request all_reduce(const team& among, std::span<const std::type_identity_t<T>> mine,
                                 std::span<T> result, const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(
      among,
      detail::all_reduce_call<T>(among, detail::named<Operator>(), mine, result, false, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void all_reduce(const team& among, blocking_t, std::span<const std::type_identity_t<T>> mine,
                std::span<T> result, const collective_options& how = {},
                call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_reduce_call<T>(among, detail::named<Operator>(), mine,
                                                            result, false, how, site));
}
/// Persistent form of the call above, to be started often.
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

/// In-place form: `data` holds the contribution and afterwards the result. Nonblocking, collective.
template <class Operator, class T>
[[nodiscard]] request all_reduce(const team& among, in_place_t, std::span<T> data,
                                 const collective_options& how = {},
                                 call_site site = call_site::current()) {
  return collective::detail::start(
      among,
      detail::all_reduce_call<T>(among, detail::named<Operator>(), {}, data, true, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void all_reduce(const team& among, blocking_t, in_place_t, std::span<T> data,
                const collective_options& how = {}, call_site site = call_site::current()) {
  collective::detail::run(among, detail::all_reduce_call<T>(among, detail::named<Operator>(), {},
                                                            data, true, how, site));
}
/// Persistent form of the call above, to be started often.
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
