// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduce-scatter: combines the vectors of all members and leaves block i of the result at member i.
//
// The choice of the algorithm depends on the bytes of a block, whether the operator commutes, and
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
[[nodiscard]] collective::detail::bound_call reduce_scatter_call(
    const team& among, const Operator& by, std::span<const T> blocks, std::span<T> mine,
    const collective_options& how, call_site site) {
  collective::detail::check_size(among, collective::kind::reduce_scatter, "the input",
                                 blocks.size(),
                                 mine.size() * static_cast<std::size_t>(among.size()));
  return collective::detail::reduction_call<T>(
      by, {.of = collective::kind::reduce_scatter, .bytes = mine.size_bytes()}, blocks, mine, how,
      site);
}

template <class T, class Operator>
[[nodiscard]] collective::detail::bound_call reduce_scatter_in_place_call(
    const team& among, const Operator& by, std::span<T> data, const collective_options& how,
    call_site site) {
  const auto members = static_cast<std::size_t>(among.size());
  const std::size_t each = data.size() / members;
  collective::detail::check_size(among, collective::kind::reduce_scatter, "the buffer", data.size(),
                                 each * members);
  return collective::detail::reduction_call<T>(
      by, {.of = collective::kind::reduce_scatter, .bytes = each * sizeof(T), .in_place = true}, {},
      data, how, site);
}

}  // namespace detail

/// Combines block i of all members' `blocks` with the operator and stores it in `mine` of member i.
/// All blocks have the same number of elements. The buffers do not overlap and belong to the call
/// until the request is complete. Nonblocking, collective. Throws `error` (argument) if the sizes
/// do not fit, or if no algorithm serves an operator that does not commute.
template <class Operator, class T>
[[nodiscard]] request reduce_scatter(const team& among,
                                     std::span<const std::type_identity_t<T>> blocks,
                                     std::span<T> mine, const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return collective::detail::start(
      among,
      detail::reduce_scatter_call<T>(among, detail::named<Operator>(), blocks, mine, how, site));
}
/// Blocking form of the call above.
template <class Operator, class T>
void reduce_scatter(const team& among, blocking_t, std::span<const std::type_identity_t<T>> blocks,
                    std::span<T> mine, const collective_options& how = {},
                    call_site site = call_site::current()) {
  collective::detail::run(among, detail::reduce_scatter_call<T>(among, detail::named<Operator>(),
                                                                blocks, mine, how, site));
}
/// Persistent form of the call above, to be started often.
template <class Operator, class T>
[[nodiscard]] collective::persistent reduce_scatter(const team& among, persist_t,
                                                    std::span<const std::type_identity_t<T>> blocks,
                                                    std::span<T> mine,
                                                    const collective_options& how = {},
                                                    call_site site = call_site::current()) {
  return collective::detail::prepare(
      among,
      detail::reduce_scatter_call<T>(among, detail::named<Operator>(), blocks, mine, how, site));
}

/// In-place form: `data` of member i holds its blocks; afterwards block i holds the combination.
/// The content of the other blocks is then unspecified.
template <class Operator, class T>
[[nodiscard]] request reduce_scatter(const team& among, in_place_t, std::span<T> data,
                                     const collective_options& how = {},
                                     call_site site = call_site::current()) {
  return collective::detail::start(among, detail::reduce_scatter_in_place_call(
                                              among, detail::named<Operator>(), data, how, site));
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class T>
auto reduce_scatter(const team& among, Form form, in_place_t, std::span<T> data,
                    const collective_options& how = {}, call_site site = call_site::current()) {
  return collective::detail::perform(
      among, form,
      detail::reduce_scatter_in_place_call(among, detail::named<Operator>(), data, how, site));
}

}  // namespace upwash
