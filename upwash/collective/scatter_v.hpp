// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scatter of blocks of different lengths: each member gets its block of the root's data.
//
// The choice of the algorithm depends on the root and on the size and layout of the team. Only the
// root knows the lengths. Collective.
#pragma once

#include <array>
#include <vector>

#include "upwash/collective/detail/uneven_call.hpp"
#include "upwash/collective/scatter.hpp"

namespace upwash {

namespace detail {

template <class T>
[[nodiscard]] collective::detail::bound_call scatter_v_call(const team& among, int root,
                                                            const item_spans<T>& items,
                                                            const member_counts& blocks,
                                                            const collective_options& how,
                                                            call_site site) {
  return blocks_known_at_root(
      among,
      {.what = {.of = collective::kind::scatter_v, .element_bytes = sizeof(T), .root = root},
       .input = std::as_bytes(items.in),
       .output = std::as_writable_bytes(items.out),
       .blocks = blocks,
       .own = items.out.size()},
      how, site);
}

}  // namespace detail

/// Copies block i of `all` of `root` to `mine` of member i. `all` and `blocks` are used only at the
/// root. There blocks.counts[i] must be the length of `mine` of member i; a different length is not
/// always detected. Buffers and counts belong to the call until the request is complete.
/// Nonblocking, collective. Throws `error` (argument) if counts and buffers do not fit.
template <class In, class Out>
requires std::ranges::range<In> && std::ranges::range<Out>
[[nodiscard]] request scatter_v(const team& among, int root, In&& all,
                                const detail::lasting_counts& blocks, Out&& mine,
                                const collective_options& how = {},
                                call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(all), static_cast<Out&&>(mine));
  return collective::detail::start(among,
                                   detail::scatter_v_call(among, root, items, blocks, how, site));
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires std::ranges::range<In> && std::ranges::range<Out>
auto scatter_v(const team& among, Form form, int root, In&& all,
               const detail::counts_of<Form>& blocks, Out&& mine,
               const collective_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(all),
                                                                         static_cast<Out&&>(mine));
  return collective::detail::perform(among, form,
                                     detail::scatter_v_call(among, root, items, blocks, how, site));
}

/// Returns the member's block of `all` of `root`, if only the root knows its length. Scatters the
/// counts first. `all` and `blocks` are used only at the root. Blocking at all members, collective.
/// Cost: two collectives.
template <class In>
requires std::ranges::range<In>
[[nodiscard]] auto scatter_v(const team& among, blocking_t, int root, In&& all,
                             const member_counts& blocks, const collective_options& how = {},
                             call_site site = call_site::current()) {
  std::array<std::uint64_t, 1> own{};
  scatter(among, blocking, root, blocks.counts, std::span<std::uint64_t>(own), {}, site);
  std::vector<detail::item_of<In>> mine(own[0]);
  scatter_v(among, blocking, root, static_cast<In&&>(all), blocks, mine, how, site);
  return mine;
}

}  // namespace upwash
