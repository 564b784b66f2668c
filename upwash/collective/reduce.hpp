// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduce: the combination of everybody's vectors, at the root.
//
// Chosen on: bytes, root, whether the operator commutes, the size of the team. Collective over the
// team.
#pragma once

#include <span>
#include <type_traits>

#include "upwash/collective/detail/reduction_call.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

namespace detail {

template <class Operator, class T>
[[nodiscard]] collective::detail::bound_call reduce_call(const team& among, int root,
                                                         std::span<const T> mine,
                                                         std::span<T> result,
                                                         const collective_options& how,
                                                         call_site site) {
  if (among.rank() == root) {
    collective::detail::check_size(among, collective::kind::reduce, "the root's result",
                                   result.size(), mine.size());
  }
  return collective::detail::reduction_call<Operator, T>(
      {.what = collective::kind::reduce, .bytes = mine.size_bytes(), .root = root}, mine, result,
      how, site);
}

}  // namespace detail

/// Element i of `result` of `root` is the combination, by the operator, of element i of all
/// members' `mine`: as many elements everywhere. `result` counts at the root only. Throws `error`
/// (argument) where the sizes do not fit, or no algorithm serves an operator that does not commute.
template <class Operator, class T>
[[nodiscard]] request reduce(const team& among, int root,
                             std::span<const std::type_identity_t<T>> mine, std::span<T> result,
                             const collective_options& how = {},
                             call_site site = call_site::current()) {
  return collective::detail::start(
      among, detail::reduce_call<Operator, T>(among, root, mine, result, how, site));
}
/// The same, blocking.
template <class Operator, class T>
void reduce(const team& among, blocking_t, int root, std::span<const std::type_identity_t<T>> mine,
            std::span<T> result, const collective_options& how = {},
            call_site site = call_site::current()) {
  collective::detail::run(among,
                          detail::reduce_call<Operator, T>(among, root, mine, result, how, site));
}
/// The same, set up to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent reduce(const team& among, persist_t, int root,
                                            std::span<const std::type_identity_t<T>> mine,
                                            std::span<T> result, const collective_options& how = {},
                                            call_site site = call_site::current()) {
  return collective::detail::prepare(
      among, detail::reduce_call<Operator, T>(among, root, mine, result, how, site));
}

}  // namespace upwash
