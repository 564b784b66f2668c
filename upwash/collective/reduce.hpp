// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduce: combines a vector of every member at the root.
//
// The choice of the algorithm depends on the bytes, the root, whether the operator commutes, and
// the size of the team. Collective.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/reduction_call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class T, class Operator>
[[nodiscard]] collective::detail::bound_call reduce_call(const team& among, const Operator& by,
                                                         int root, std::span<const T> mine,
                                                         std::span<T> result,
                                                         const collective_options& how,
                                                         call_site site) {
  if (among.rank() == root) {
    collective::detail::check_size(among, collective::kind::reduce, "the root's result",
                                   result.size(), mine.size());
  }
  return collective::detail::reduction_call<T>(
      by, {.of = collective::kind::reduce, .bytes = mine.size_bytes(), .root = root}, mine, result,
      how, site);
}

template <class T, class Operator>
[[nodiscard]] collective::detail::bound_call reduce_in_place_call(const Operator& by, int root,
                                                                  std::span<T> data,
                                                                  const collective_options& how,
                                                                  call_site site) {
  return collective::detail::reduction_call<T>(
      by,
      {.of = collective::kind::reduce, .bytes = data.size_bytes(), .root = root, .in_place = true},
      data, data, how, site);
}

}  // namespace detail

/// Combines element i of all members' `mine` with the operator and stores it in element i of
/// `result` at `root`. All members give the same number of elements. `result` is used only at the
/// root. The buffers belong to the call until the request is complete. Nonblocking, collective.
/// Throws `error` (argument) if the sizes do not fit, or if no algorithm serves an operator that
/// does not commute.
template <class Operator, class T>
[[nodiscard]] request reduce(const team& among, int root,
                             std::span<const std::type_identity_t<T>> mine, std::span<T> result,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return collective::detail::start(among, detail::reduce_call<T>(among, detail::named<Operator>(),
                                                                 root, mine, result, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void reduce(const team& among, blocking_t, int root, std::span<const std::type_identity_t<T>> mine,
            std::span<T> result, const collective_options& how = {},
            call_site site = call_site::current()) {
  collective::detail::run(among, detail::reduce_call<T>(among, detail::named<Operator>(), root,
                                                        mine, result, how, site));
}
/// Persistent form of the call above, to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent reduce(const team& among, persist_t, int root,
                                            std::span<const std::type_identity_t<T>> mine,
                                            std::span<T> result, const collective_options& how = {},
                                            call_site site = call_site::current()) {
  return collective::detail::prepare(among, detail::reduce_call<T>(among, detail::named<Operator>(),
                                                                   root, mine, result, how, site));
}

/// In-place form: `data` holds the contribution, and at `root` afterwards the result. At the other
/// members `data` does not change. All members use this form, or none.
template <class Operator, class T>
[[nodiscard]] request reduce(const team& among, int root, in_place_t, std::span<T> data,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::reduce_in_place_call(detail::named<Operator>(), root, data, how, site));
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class T>
auto reduce(const team& among, Form form, int root, in_place_t, std::span<T> data,
            const collective_options& how = {}, call_site site = call_site::current()) {
  return collective::detail::perform(
      among, form, detail::reduce_in_place_call(detail::named<Operator>(), root, data, how, site));
}

}  // namespace upwash
