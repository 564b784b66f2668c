// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbor all-to-all of blocks of different lengths, counted in items of one buffer, or anywhere
// in memory. A call runs the scheme twice: first for the lengths, then for the blocks. A persistent
// call exchanges the lengths once. Collective over the team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/collective/all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_call.hpp"

namespace upwash {

/// Sends block i of `in` to destination i, and receives block i of `out` from source i. `sent` and
/// `received` give the counts in items, with offsets or one after the other. If two ranks have
/// several edges, the first edge at one end is the first edge at the other. Reads the counts before
/// the call returns. The buffers belong to the executor until the request is complete. Throws
/// `error` (argument) if counts and buffers do not fit, if blocks of `out` overlap each other or
/// those of `in`, and if a source sends a different number of items (naming both ranks).
template <class In, class Out>
[[nodiscard]] request neighbor_all_to_all_v(const neighborhood& on, In&& in,
                                            const member_counts& sent, Out&& out,
                                            const member_counts& received,
                                            const neighbor_options& how = {},
                                            call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  const neighborhoods::detail::block_bytes goes(on, neighborhoods::detail::what::all_to_all, sent,
                                                sizeof(items.in[0]));
  const neighborhoods::detail::block_bytes came(on, neighborhoods::detail::what::all_to_all,
                                                received, sizeof(items.in[0]));
  return neighborhoods::detail::start(
      on, neighborhoods::detail::all_to_all_v_call(items.in, goes, items.out, came), how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
auto neighbor_all_to_all_v(const neighborhood& on, Form form, In&& in, const member_counts& sent,
                           Out&& out, const member_counts& received,
                           const neighbor_options& how = {},
                           call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  const neighborhoods::detail::block_bytes goes(on, neighborhoods::detail::what::all_to_all, sent,
                                                sizeof(items.in[0]));
  const neighborhoods::detail::block_bytes came(on, neighborhoods::detail::what::all_to_all,
                                                received, sizeof(items.in[0]));
  return neighborhoods::detail::perform(
      on, form, neighborhoods::detail::all_to_all_v_call(items.in, goes, items.out, came), how,
      site);
}

/// The same exchange for blocks of any type anywhere in memory, by edge: `std::as_bytes` of the
/// sent blocks, `std::as_writable_bytes` of the received ones. Reads the lists before the call
/// returns.
[[nodiscard]] inline request neighbor_all_to_all_w(const neighborhood& on,
                                                   std::span<const std::span<const std::byte>> sent,
                                                   std::span<const std::span<std::byte>> received,
                                                   const neighbor_options& how = {},
                                                   call_site site = call_site::current()) {
  const neighborhoods::detail::blocks_anywhere all(sent, received);
  return neighborhoods::detail::start(on, all.call(), how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form>
auto neighbor_all_to_all_w(const neighborhood& on, Form form,
                           std::span<const std::span<const std::byte>> sent,
                           std::span<const std::span<std::byte>> received,
                           const neighbor_options& how = {},
                           call_site site = call_site::current()) {
  const neighborhoods::detail::blocks_anywhere all(sent, received);
  return neighborhoods::detail::perform(on, form, all.call(), how, site);
}

}  // namespace upwash
