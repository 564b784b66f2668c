// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather of blocks of different lengths.
//
// The choice of the algorithm depends on the mean length of the blocks and on the size and layout
// of the team. A rank receives all blocks except its own. Collective.
#pragma once

#include <vector>

#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/detail/uneven_call.hpp"
#include "upwash/collective/exchanged.hpp"

namespace upwash {

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call all_gather_v_call(
    const team& among, std::span<const T> mine, std::span<T> all, const member_counts& blocks,
    bool in_place, const collective_options& how, call_site site) {
  return all_blocks_known(among,
                          {.what = {.of = collective::kind::all_gather_v,
                                    .element_bytes = sizeof(T),
                                    .in_place = in_place},
                           .input = std::as_bytes(mine),
                           .output = std::as_writable_bytes(all),
                           .blocks = blocks,
                           .own = mine.size()},
                          how, site);
}

}  // namespace detail

/// Copies `mine` of member i, blocks.counts[i] items, to its block of `all` at all members. All
/// members give the same counts. The offsets may differ between members; items between blocks do
/// not change. The buffers do not overlap. Buffers and counts belong to the call until the request
/// is complete. Nonblocking, collective. Throws `error` (argument) if counts and buffers do not
/// fit.
template <class In, class Out>
requires std::ranges::range<In> && std::ranges::range<Out>
[[nodiscard]] request all_gather_v(const team& among, In&& mine, Out&& all,
                                   const detail::lasting_counts& blocks,
                                   const collective_options& how = {},
                                   call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(mine), static_cast<Out&&>(all));
  return collective::detail::start(
      among, detail::all_gather_v_call<detail::item_of<Out>>(among, items.in, items.out, blocks,
                                                             false, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires std::ranges::range<In> && std::ranges::range<Out>
auto all_gather_v(const team& among, Form form, In&& mine, Out&& all,
                  const detail::counts_of<Form>& blocks, const collective_options& how = {},
                  call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(mine),
                                                                         static_cast<Out&&>(all));
  return collective::detail::perform(among, form,
                                     detail::all_gather_v_call<detail::item_of<Out>>(
                                         among, items.in, items.out, blocks, false, how, site));
}

/// In-place form: block i of `all` at member i holds its contribution. Nonblocking, collective.
template <class Data>
requires std::ranges::range<Data>
[[nodiscard]] request all_gather_v(const team& among, in_place_t, Data&& all,
                                   const detail::lasting_counts& blocks,
                                   const collective_options& how = {},
                                   call_site site = call_site::current()) {
  const auto items = detail::output_items<true, Data>(static_cast<Data&&>(all));
  return collective::detail::start(among, detail::all_gather_v_call<detail::item_of<Data>>(
                                              among, {}, items, blocks, true, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class Data>
requires std::ranges::range<Data>
auto all_gather_v(const team& among, Form form, in_place_t, Data&& all,
                  const detail::counts_of<Form>& blocks, const collective_options& how = {},
                  call_site site = call_site::current()) {
  const auto items = detail::output_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(all));
  return collective::detail::perform(
      among, form,
      detail::all_gather_v_call<detail::item_of<Data>>(among, {}, items, blocks, true, how, site));
}

/// Returns the items of all members' `mine` and their counts, if each member knows only its own
/// count. Gathers the counts first. Blocking at all members, collective. Cost: two collectives.
///
/// @code
/// std::vector<double> mine(static_cast<std::size_t>(world.rank()) + 1);
/// auto all = upwash::all_gather_v(world, upwash::blocking, mine);
/// // all.data: the items of member 0, 1, ...; all.counts[i]: the number of items of member i
/// @endcode
template <class In>
requires std::ranges::range<In>
[[nodiscard]] auto all_gather_v(const team& among, blocking_t, In&& mine,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  using item = detail::item_of<In>;
  const auto items = detail::input_items<false, In>(static_cast<In&&>(mine));
  exchanged<item> came;
  came.counts.resize(static_cast<std::size_t>(among.size()));
  const std::size_t own = items.size();
  all_gather(among, blocking, std::span(&own, 1), std::span(came.counts), {}, site);
  came.data.resize(came.total());
  all_gather_v(among, blocking, items, came.data, came.counts, how, site);
  return came;
}

}  // namespace upwash
