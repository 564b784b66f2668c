// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbor all-to-all: sends a different block to each destination. Messages and bytes depend on
// the scheme (`upwash schedule neighbor_all_to_all --graph ...`). Collective over the team.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/neighborhood/neighbor_call.hpp"

namespace upwash {

namespace neighborhoods::detail {

template <class T>
[[nodiscard]] equal_call all_to_all_call(const neighborhood& on, std::span<const T> in,
                                         std::span<T> out, const neighbor_options& how) {
  const std::size_t destinations = on.destinations().size();
  const std::size_t sources = on.sources().size();
  const std::size_t each = items_of_block(on, how, in.size(), out.size());
  check_items(on, what::all_to_all, "input", in.size(), destinations, each);
  check_items(on, what::all_to_all, "output", out.size(), sources, each);
  return {what::all_to_all, bytes_of_block(on, what::all_to_all, each, sizeof(T)),
          std::as_bytes(in), std::as_writable_bytes(out)};
}

}  // namespace neighborhoods::detail

/// Sends block i of `in` to destination i, and receives block i of `out` from source i. If two
/// ranks have several edges, the first edge at one end is the first edge at the other. Blocks have
/// the same length everywhere. A member without neighbors gives the length in neighbor_options.
/// Buffers, blocking and errors are as for neighbor_all_gather.
template <class In, class Out>
[[nodiscard]] request neighbor_all_to_all(const neighborhood& on, In&& in, Out&& out,
                                          const neighbor_options& how = {},
                                          call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return neighborhoods::detail::start(
      on, neighborhoods::detail::all_to_all_call(on, items.in, items.out, how), how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
auto neighbor_all_to_all(const neighborhood& on, Form form, In&& in, Out&& out,
                         const neighbor_options& how = {}, call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return neighborhoods::detail::perform(
      on, form, neighborhoods::detail::all_to_all_call(on, items.in, items.out, how), how, site);
}

}  // namespace upwash
