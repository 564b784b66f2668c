// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that is needed soon is asked for.
#pragma once

#include <cstddef>

namespace upwash {

/// Asks for a cache line. A function that did nothing but that would be without effect to
/// compilers, which drop calls of such: the statement without instructions is one that they keep.
inline void prefetch(const void* at) noexcept {
  __builtin_prefetch(at);
  asm volatile("");
}

/// Asks for the cache lines of so many bytes.
inline void prefetch(const void* start, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  const char* const from = static_cast<const char*>(start);
  for (std::size_t at = 0; at < bytes; at += line) prefetch(from + at);
  if (bytes != 0) prefetch(from + bytes - 1);  // where the first does not begin its line
}

}  // namespace upwash
