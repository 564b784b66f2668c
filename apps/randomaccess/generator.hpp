// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The random numbers of HPC Challenge RandomAccess: x becomes 2x modulo a primitive polynomial over
// GF(2).
#pragma once

#include <cstdint>

namespace randomaccess {

/// The number behind `x`.
[[nodiscard]] constexpr std::uint64_t next(std::uint64_t x) noexcept {
  constexpr std::uint64_t polynomial = 7;
  return (x << 1U) ^ ((x >> 63U) != 0 ? polynomial : 0);
}

/// The n-th number of the sequence that starts with 1. O(log n).
[[nodiscard]] std::uint64_t number_at(std::uint64_t n) noexcept;

}  // namespace randomaccess
