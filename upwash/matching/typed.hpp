// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tagged messages of items: containers, arrays, spans or one value, where messages.hpp has bytes.
// What a send or a receive does, and throws, is said there. Not from handlers.
#pragma once

#include <span>

#include "upwash/core/blocking.hpp"
#include "upwash/core/items.hpp"
#include "upwash/matching/messages.hpp"

namespace upwash {

using matching::any_source;
using matching::any_tag;

namespace detail {

template <bool Later, class Items>
[[nodiscard]] std::span<const std::byte> bytes_to_send(Items&& items) {
  if constexpr (std::ranges::range<Items>) {
    return std::as_bytes(input_items<Later, Items>(static_cast<Items&&>(items)));
  } else {
    check_value<std::remove_cvref_t<Items>>();
    static_assert(!Later || std::is_lvalue_reference_v<Items>,
                  "a temporary is gone before the send is complete: give it a name, or call with "
                  "`blocking`");
    return std::as_bytes(std::span<const std::remove_cvref_t<Items>>(&items, 1));
  }
}

template <class Items>
[[nodiscard]] std::span<std::byte> bytes_to_receive(Items&& items) {
  if constexpr (std::ranges::range<Items>) {
    return std::as_writable_bytes(output_items<true, Items>(static_cast<Items&&>(items)));
  } else {
    check_value<std::remove_cvref_t<Items>>();
    static_assert(
        std::is_lvalue_reference_v<Items> && !std::is_const_v<std::remove_reference_t<Items>>,
        "a receive writes to what it is given: give a variable that is not const");
    return std::as_writable_bytes(std::span<std::remove_cvref_t<Items>>(&items, 1));
  }
}

}  // namespace detail

/// Sends the items of a range, or one value, to a member. Nonblocking: `items` must stay as they
/// are until the request is complete.
template <class Items>
[[nodiscard]] request send(const team& to, int destination, int tag, Items&& items,
                           matching::mode how = matching::mode::standard) {
  return matching::send(to, destination, tag,
                        detail::bytes_to_send<true, Items>(static_cast<Items&&>(items)), how,
                        matching::item_type_of<Items>());
}
/// The same, blocking: until `items` may be changed. The receiver may be yet to receive them, but
/// with mode synchronous.
template <class Items>
void send(const team& to, blocking_t, int destination, int tag, Items&& items,
          matching::mode how = matching::mode::standard, call_site site = call_site::current()) {
  matching::send(to, destination, tag,
                 detail::bytes_to_send<false, Items>(static_cast<Items&&>(items)), how,
                 matching::item_type_of<Items>())
      .wait(site);
}

/// Receives into the items of a range, or one value, from a member or any_source, a tag or any_tag.
/// Nonblocking: `into` is the receive's until it is complete. It keeps its size; shorter messages
/// fill its beginning (receipt: bytes). The wait throws `error` (argument) for a message that holds
/// no whole number of these items, an empty one included where `into` is one value. In checked runs
/// it also throws for items of another type: integers, floating-point numbers, bool and complex
/// numbers of each size differ, and so do two classes. char and std::byte fit every type.
template <class Items>
matching::receiving receive(const team& from, int source, int tag, Items&& into) {
  return matching::receive(from, source, tag,
                           detail::bytes_to_receive<Items>(static_cast<Items&&>(into)),
                           matching::item_type_of<Items>());
}
/// The same, blocking. Returns who sent what.
template <class Items>
matching::receipt receive(const team& from, blocking_t, int source, int tag, Items&& into,
                          call_site site = call_site::current()) {
  return matching::receive(from, source, tag,
                           detail::bytes_to_receive<Items>(static_cast<Items&&>(into)),
                           matching::item_type_of<Items>())
      .wait(site);
}

}  // namespace upwash
