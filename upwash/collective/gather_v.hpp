// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Gather of blocks of different lengths at the root.
//
// The choice of the algorithm depends on the root and on the size and layout of the team. Only the
// root knows the lengths. Collective.
#pragma once

#include "upwash/collective/detail/uneven_call.hpp"
#include "upwash/collective/exchanged.hpp"
#include "upwash/collective/gather.hpp"

namespace upwash {

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call gather_v_call(const team& among, int root,
                                                           const item_spans<T>& items,
                                                           const member_counts& blocks,
                                                           const collective_options& how,
                                                           call_site site) {
  return blocks_known_at_root(
      among,
      {.what = {.of = collective::kind::gather_v, .element_bytes = sizeof(T), .root = root},
       .input = std::as_bytes(items.in),
       .output = std::as_writable_bytes(items.out),
       .blocks = blocks,
       .own = items.in.size()},
      how, site);
}

}  // namespace detail

/// Copies `mine` of member i to its block of `all` at `root`. Items between blocks do not change.
/// `all` and `blocks` are used only at the root. There blocks.counts[i] must be the length of
/// `mine` of member i; a different length is not always detected. Buffers and counts belong to the
/// call until the request is complete. Nonblocking, collective. Throws `error` (argument) if counts
/// and buffers do not fit.
template <class In, class Out>
requires std::ranges::range<In> && std::ranges::range<Out>
[[nodiscard]] request gather_v(const team& among, int root, In&& mine, Out&& all,
                               const detail::lasting_counts& blocks,
                               const collective_options& how = {},
                               call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(mine), static_cast<Out&&>(all));
  return collective::detail::start(among,
                                   detail::gather_v_call(among, root, items, blocks, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires std::ranges::range<In> && std::ranges::range<Out>
auto gather_v(const team& among, Form form, int root, In&& mine, Out&& all,
              const detail::counts_of<Form>& blocks, const collective_options& how = {},
              call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(mine),
                                                                         static_cast<Out&&>(all));
  return collective::detail::perform(among, form,
                                     detail::gather_v_call(among, root, items, blocks, how, site));
}

/// Returns at the root the items of all members' `mine` and their counts, if each member knows only
/// its own count. Gathers the counts first. Returns nothing at the other members. Blocking at all
/// members, collective. Cost: two collectives.
template <class In>
requires std::ranges::range<In>
[[nodiscard]] auto gather_v(const team& among, blocking_t, int root, In&& mine,
                            const collective_options& how = {},
                            call_site site = call_site::current()) {
  using item = detail::item_of<In>;
  const auto items = detail::input_items<false, In>(static_cast<In&&>(mine));
  exchanged<item> came;
  if (among.rank() == root) came.counts.resize(static_cast<std::size_t>(among.size()));
  const std::size_t own = items.size();
  gather(among, blocking, root, std::span(&own, 1), std::span(came.counts), {}, site);
  came.data.resize(came.total());
  gather_v(among, blocking, root, items, came.data, came.counts, how, site);
  return came;
}

}  // namespace upwash
