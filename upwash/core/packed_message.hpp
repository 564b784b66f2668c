// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages as bytes, for layers that carry many of them at once. Messages are packed one
// after another, travel as the layer chooses, and run as handlers at the destination.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "upwash/core/active_message.hpp"

namespace upwash {

namespace detail {
void append_packed(job& here, std::vector<std::byte>& to, const void* thunk,
                   std::span<const std::byte> arguments, std::span<const std::byte> payload);
}

/// Appends a message `Handler(incoming&, args...)`. Size: its arguments plus 16 bytes, rounded up
/// to 8.
template <auto Handler, class... Args>
void pack_message(job& here, std::vector<std::byte>& to, const Args&... args) {
  using pack = detail::am_pack<Handler>;
  std::array<std::byte, max_argument_bytes> line;
  if constexpr (pack::in_line) {
    detail::append_packed(here, to, pack::thunk_address(), pack::write_line(line, args...), {});
  } else {
    detail::packing_buffer archived(here);
    const auto arguments = pack::write_archive(archived.bytes, line, args...);
    detail::append_packed(here, to, pack::thunk_address(), arguments, archived.bytes);
  }
}

/// Runs each packed message as a handler, in order, as if it had arrived alone from world rank
/// `source`. Returns the number of messages. Throws `error` (fault) for bytes that are no packed
/// messages.
std::size_t run_packed(job& here, int source, std::span<const std::byte> all);

}  // namespace upwash
