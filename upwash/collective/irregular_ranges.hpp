// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives with messages of different sizes, for containers, arrays and other contiguous
// ranges of items (ranges.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/many_to_many.hpp"
#include "upwash/core/items.hpp"

namespace upwash {

/// all_to_all_v of the items' bytes, with sizes and offsets in bytes (all_to_all.hpp).
template <class In, class Out>
requires detail::other_ranges<In, Out>
[[nodiscard]] request all_to_all_v(const team& among, In&& in, const member_blocks& to, Out&& out,
                                   const member_blocks& from, const collective_options& how = {},
                                   call_site site = call_site::current()) {
  const auto items =
      detail::items_of<true, In, Out>(static_cast<In&&>(in), static_cast<Out&&>(out));
  return all_to_all_v(among, std::as_bytes(items.in), to, std::as_writable_bytes(items.out), from,
                      how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, class In, class Out>
requires detail::other_ranges<In, Out>
auto all_to_all_v(const team& among, Form form, In&& in, const member_blocks& to, Out&& out,
                  const member_blocks& from, const collective_options& how = {},
                  call_site site = call_site::current()) {
  const auto items = detail::items_of<detail::uses_later<Form>, In, Out>(static_cast<In&&>(in),
                                                                         static_cast<Out&&>(out));
  return all_to_all_v(among, form, std::as_bytes(items.in), to, std::as_writable_bytes(items.out),
                      from, how, site);
}

/// many_to_many of the items' bytes, with sizes and offsets in bytes (many_to_many.hpp).
template <detail::other_range Data>
[[nodiscard]] request many_to_many(const team& among, Data&& data,
                                   const outgoing_messages& messages,
                                   const collective::collect_handler& taken,
                                   const message_pattern& pattern = {},
                                   const collective_options& how = {},
                                   call_site site = call_site::current()) {
  return many_to_many(among,
                      std::as_bytes(detail::input_items<true, Data>(static_cast<Data&&>(data))),
                      messages, taken, pattern, how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto many_to_many(const team& among, Form form, Data&& data, const outgoing_messages& messages,
                  const collective::collect_handler& taken, const message_pattern& pattern = {},
                  const collective_options& how = {}, call_site site = call_site::current()) {
  return many_to_many(
      among, form,
      std::as_bytes(detail::input_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data))),
      messages, taken, pattern, how, site);
}

/// Sends all items to each of `destinations` (many_to_many.hpp).
template <detail::other_range Data>
[[nodiscard]] request many_to_many_multicast(const team& among, Data&& data,
                                             std::span<const std::uint64_t> destinations,
                                             const collective::collect_handler& taken,
                                             const message_pattern& pattern = {},
                                             const collective_options& how = {},
                                             call_site site = call_site::current()) {
  return many_to_many_multicast(
      among, std::as_bytes(detail::input_items<true, Data>(static_cast<Data&&>(data))),
      destinations, taken, pattern, how, site);
}
/// Blocking and persistent forms of the call above.
template <detail::form_of_call Form, detail::other_range Data>
auto many_to_many_multicast(const team& among, Form form, Data&& data,
                            std::span<const std::uint64_t> destinations,
                            const collective::collect_handler& taken,
                            const message_pattern& pattern = {}, const collective_options& how = {},
                            call_site site = call_site::current()) {
  return many_to_many_multicast(
      among, form,
      std::as_bytes(detail::input_items<detail::uses_later<Form>, Data>(static_cast<Data&&>(data))),
      destinations, taken, pattern, how, site);
}

}  // namespace upwash
