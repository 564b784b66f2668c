// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies few bytes without a function call. Uses the fewest moves; the last two may write some
// bytes twice.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace upwash {

inline constexpr std::size_t most_copied_short = 48;

/// Copies at most 48 bytes, which must not overlap.
inline void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto move = [&]<std::size_t N>(std::integral_constant<std::size_t, N>, std::size_t at) {
    std::memcpy(to + at, from + at, N);
  };
  constexpr std::integral_constant<std::size_t, 4> half{};
  constexpr std::integral_constant<std::size_t, 8> word{};
  constexpr std::integral_constant<std::size_t, 16> pair{};
  if (bytes == 8) {
    move(word, 0);
  } else if (bytes >= 16) {
    move(pair, 0);
    if (bytes > 32) move(pair, 16);
    move(pair, bytes - 16);
  } else if (bytes > 8) {
    move(word, 0);
    move(word, bytes - 8);
  } else if (bytes >= 4) {
    move(half, 0);
    move(half, bytes - 4);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

}  // namespace upwash
