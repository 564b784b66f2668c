// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of different lengths, by bytes and offsets of the program's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "interop/c/detail/guard.hpp"

namespace upwash::c {

struct blocks {
  std::span<const std::uint64_t> bytes;
  std::span<const std::uint64_t> offsets;
  std::size_t end = 0;  ///< behind the last
};

/// One side of an all-to-all of such, as it is given.
template <class Data>
struct side {
  Data* data;
  const std::uint64_t* bytes;
  const std::uint64_t* offsets;
};

/// `count` of them, of the arrays NAME_bytes and NAME_offsets, which may be null where it is 0.
[[nodiscard]] inline blocks blocks_of(std::size_t count, const std::uint64_t* bytes,
                                      const std::uint64_t* offsets, std::string_view name) {
  if (count == 0) return {};
  blocks made{{&given(bytes, fmt::format("{}_bytes", name)), count},
              {&given(offsets, fmt::format("{}_offsets", name)), count}};
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t end = 0;
    if (__builtin_add_overflow(bytes[i], offsets[i], &end) || end > PTRDIFF_MAX) {
      refuse(fmt::format("{}: block {} of {} bytes at {} is more than memory has", name, i,
                         bytes[i], offsets[i]));
    }
    if (bytes[i] != 0) made.end = std::max<std::size_t>(made.end, end);
  }
  return made;
}

}  // namespace upwash::c
