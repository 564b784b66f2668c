// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduce-scatter of blocks of different lengths.
//
// The choice of the algorithm depends on the mean length of the blocks, whether the operator
// commutes, and the size of the team. Collective.
#pragma once

#include "upwash/collective/detail/reduction_call.hpp"
#include "upwash/collective/detail/uneven_call.hpp"
#include "upwash/collective/operator_objects.hpp"

namespace upwash {

namespace detail {

template <class T, class Operator>
[[nodiscard]] collective::detail::bound_call reduce_scatter_v_call(
    const team& among, const Operator& by, const item_spans<T>& items, const member_counts& blocks,
    const collective_options& how, call_site site) {
  auto reduced = collective::detail::reduction_call<T>(
      by, {.of = collective::kind::reduce_scatter_v}, items.in, items.out, how, site);
  auto all = all_blocks_known(among,
                              {.what = reduced.wanted.what,
                               .input = reduced.buffers.input,
                               .output = reduced.buffers.output,
                               .blocks = blocks,
                               .own = items.out.size()},
                              how, site);
  all.wanted.kind_of_reduction = reduced.wanted.kind_of_reduction;
  all.buffers.combine = reduced.buffers.combine;
  return all;
}

}  // namespace detail

/// Combines block i of all members' `all` with the operator and stores it in `mine` of member i,
/// blocks.counts[i] items. All members give the same counts; the offsets may differ between
/// members. The operator is an object as in operator_objects.hpp. The buffers do not overlap.
/// Buffers and counts belong to the call until the request is complete. Nonblocking, collective.
/// Throws `error` (argument) if counts and buffers do not fit.
template <class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
[[nodiscard]] request reduce_scatter_v(const team& among, In&& all,
                                       const detail::lasting_counts& blocks, Out&& mine,
                                       Operator by, const collective_options& how = {},
                                       call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(all), static_cast<Out&&>(mine));
  return collective::detail::start(
      among, detail::reduce_scatter_v_call(among, by, items, blocks, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out, detail::operator_object Operator>
requires detail::buffers<In, Out>
auto reduce_scatter_v(const team& among, Form form, In&& all, const detail::counts_of<Form>& blocks,
                      Out&& mine, Operator by, const collective_options& how = {},
                      call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(all),
                                                                         static_cast<Out&&>(mine));
  return collective::detail::perform(
      among, form, detail::reduce_scatter_v_call(among, by, items, blocks, how, site));
}

/// Form with an operator that is named by its type: reduce_scatter_v<sum>(...).
template <class Operator, class In, class Out>
requires detail::buffers<In, Out>
[[nodiscard]] request reduce_scatter_v(const team& among, In&& all,
                                       const detail::lasting_counts& blocks, Out&& mine,
                                       const collective_options& how = {},
                                       call_site site = call_site::current()) {
  return reduce_scatter_v(among, static_cast<In&&>(all), blocks, static_cast<Out&&>(mine),
                          detail::named<Operator>(), how, site);
}
/// Blocking and persistent forms of the call above.
template <class Operator, detail::form_of_call Form, class In, class Out>
requires detail::buffers<In, Out>
auto reduce_scatter_v(const team& among, Form form, In&& all, const detail::counts_of<Form>& blocks,
                      Out&& mine, const collective_options& how = {},
                      call_site site = call_site::current()) {
  return reduce_scatter_v(among, form, static_cast<In&&>(all), blocks, static_cast<Out&&>(mine),
                          detail::named<Operator>(), how, site);
}

}  // namespace upwash
