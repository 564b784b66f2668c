// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbor all-gather of blocks of different lengths. A call runs the scheme twice: first for the
// lengths, then for the blocks. A persistent call exchanges the lengths once. Collective over the
// team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/collective/all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_call.hpp"

namespace upwash {

/// Copies `mine` of source i to its block of `all`. `blocks` gives the counts by source, in items,
/// with offsets or one after the other. Reads the counts before the call returns. The buffers
/// belong to the executor until the request is complete. Throws `error` (argument) if counts and
/// buffers do not fit, if blocks overlap, and if a source sends a different number of items (naming
/// both ranks).
template <class In, class Out>
[[nodiscard]] request neighbor_all_gather_v(const neighborhood& on, In&& mine, Out&& all,
                                            const member_counts& blocks,
                                            const neighbor_options& how = {},
                                            call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(mine), static_cast<Out&&>(all));
  const neighborhoods::detail::block_bytes came(on, neighborhoods::detail::what::all_gather, blocks,
                                                sizeof(items.in[0]));
  return neighborhoods::detail::start(
      on, neighborhoods::detail::all_gather_v_call(items.in, items.out, came), how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
auto neighbor_all_gather_v(const neighborhood& on, Form form, In&& mine, Out&& all,
                           const member_counts& blocks, const neighbor_options& how = {},
                           call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(mine),
                                                                         static_cast<Out&&>(all));
  const neighborhoods::detail::block_bytes came(on, neighborhoods::detail::what::all_gather, blocks,
                                                sizeof(items.in[0]));
  return neighborhoods::detail::perform(
      on, form, neighborhoods::detail::all_gather_v_call(items.in, items.out, came), how, site);
}

}  // namespace upwash
