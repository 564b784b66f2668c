// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbor all-gather: sends a rank's block to all its destinations. Messages and bytes depend on
// the scheme (`upwash schedule neighbor_all_gather --graph ...`). Collective over the team.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/neighborhood/neighbor_call.hpp"

namespace upwash {

namespace neighborhoods::detail {

template <class T>
[[nodiscard]] equal_call all_gather_call(const neighborhood& on, std::span<const T> mine,
                                         std::span<T> all) {
  check_items(on, what::all_gather, "output", all.size(), on.sources().size(), mine.size());
  return {what::all_gather, mine.size_bytes(), std::as_bytes(mine), std::as_writable_bytes(all)};
}

}  // namespace neighborhoods::detail

/// Copies `mine` of source i to item i * mine.size() of `all`. All members give the same number of
/// items. `mine` and `all` do not overlap, and belong to the executor until the request is
/// complete. Nonblocking, except that the first call with a scheme makes its plan. Collective.
/// Throws `error` (argument) if the sizes do not fit, and for an unknown scheme.
template <class In, class Out>
[[nodiscard]] request neighbor_all_gather(const neighborhood& on, In&& mine, Out&& all,
                                          const neighbor_options& how = {},
                                          call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(mine), static_cast<Out&&>(all));
  return neighborhoods::detail::start(
      on, neighborhoods::detail::all_gather_call(on, items.in, items.out), how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
auto neighbor_all_gather(const neighborhood& on, Form form, In&& mine, Out&& all,
                         const neighbor_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(mine),
                                                                         static_cast<Out&&>(all));
  return neighborhoods::detail::perform(
      on, form, neighborhoods::detail::all_gather_call(on, items.in, items.out), how, site);
}

}  // namespace upwash
