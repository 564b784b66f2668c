// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather of blocks of different lengths.
//
// Chosen on: the mean of the blocks, the size and layout of the team. Bytes received: all blocks
// but the own. Collective over the team.
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

/// `mine` of member i, blocks.counts[i] items, lands in its block of `all` at all members. All
/// members give the same counts; where blocks lie each says for itself, and what is between them
/// stays as it is. The buffers do not overlap. Buffers and counts are used until the request is
/// complete. Throws `error` (argument) where counts and buffers do not fit.
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
/// The same, blocking or persistent.
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

/// The same; member i's block of `all` holds its contribution.
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
/// The same, blocking or persistent.
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

/// What all members have in `mine`, where only each one knows how much: the counts are gathered
/// first. Blocking, at all members. Two collectives.
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
