// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of destinations as bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::neighborhoods {

[[nodiscard]] inline int ones_in_both(std::span<const std::uint64_t> a,
                                      std::span<const std::uint64_t> b) {
  int ones = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ones += std::popcount(a[i] & b[i]);
  return ones;
}

inline void keep_both(std::span<std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] &= b[i];
}

/// Stores the intersection in `into` and returns its number of ones.
[[nodiscard]] inline int meet(std::span<std::uint64_t> into, std::span<const std::uint64_t> a,
                              std::span<const std::uint64_t> b) {
  int ones = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    into[i] = a[i] & b[i];
    ones += std::popcount(into[i]);
  }
  return ones;
}

}  // namespace upwash::neighborhoods
