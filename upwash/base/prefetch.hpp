// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prefetches memory that is needed soon.
#pragma once

#include <cstddef>

namespace upwash {

/// Prefetches a cache line. The empty statement keeps compilers from dropping calls: a function
/// that only prefetches has no effect in their view.
inline void prefetch(const void* at) noexcept {
  __builtin_prefetch(at);
  asm volatile("");
}

/// Prefetches the cache lines of `bytes` bytes.
inline void prefetch(const void* start, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  const char* const from = static_cast<const char*>(start);
  for (std::size_t at = 0; at < bytes; at += line) prefetch(from + at);
  if (bytes != 0) prefetch(from + bytes - 1);  // if `start` is not at the begin of a line
}

}  // namespace upwash
