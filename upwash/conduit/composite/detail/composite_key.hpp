// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A key of both parts: | bytes of the inner one's 1 | inner one's | outer one's |.
#pragma once

#include <fmt/format.h>

#include <cstring>

#include "upwash/base/error.hpp"
#include "upwash/conduit/memory.hpp"

namespace upwash::conduit::composite {

struct key_parts {
  memory_key inner;
  memory_key outer;
};

/// Throws `error` (fault) where both together have no room.
[[nodiscard]] inline memory_key joined(const key_parts& parts) {
  const std::size_t bytes = 1 + parts.inner.size + parts.outer.size;
  if (bytes > memory_key::capacity) {
    throw error(error_kind::fault,
                fmt::format("composite: keys of {} and {} bytes do not fit into one of {}; enlarge "
                            "memory_key",
                            parts.inner.size, parts.outer.size, memory_key::capacity));
  }
  memory_key both;
  both.size = static_cast<std::uint32_t>(bytes);
  both.bytes[0] = static_cast<std::byte>(parts.inner.size);
  std::memcpy(both.bytes.data() + 1, parts.inner.bytes.data(), parts.inner.size);
  std::memcpy(both.bytes.data() + 1 + parts.inner.size, parts.outer.bytes.data(), parts.outer.size);
  return both;
}

[[nodiscard]] inline memory_key take(const std::byte* from, std::size_t bytes) {
  memory_key one;
  one.size = static_cast<std::uint32_t>(bytes);
  std::memcpy(one.bytes.data(), from, bytes);
  return one;
}

/// Throws `error` (argument) for what `joined` did not make.
[[nodiscard]] inline key_parts split(const memory_key& both) {
  const std::size_t inner = both.size == 0 ? 0 : std::to_integer<std::size_t>(both.bytes[0]);
  if (both.size < 1 + inner) {
    throw error(error_kind::argument,
                fmt::format("composite: a key of {} bytes that is none of this job's", both.size));
  }
  return {take(both.bytes.data() + 1, inner),
          take(both.bytes.data() + 1 + inner, both.size - 1 - inner)};
}

}  // namespace upwash::conduit::composite
