// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/randomaccess/generator.hpp"

#include <bit>

namespace randomaccess {
namespace {

/// The product of two polynomials modulo the generator's.
std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  for (; b != 0; b >>= 1U, a = next(a)) product ^= (b & 1U) != 0 ? a : 0;
  return product;
}

}  // namespace

std::uint64_t number_at(std::uint64_t n) noexcept {
  std::uint64_t power = 1;
  for (int bit = static_cast<int>(std::bit_width(n)) - 1; bit >= 0; --bit) {
    power = times(power, power);
    if (((n >> static_cast<unsigned>(bit)) & 1U) != 0) power = next(power);
  }
  return power;
}

}  // namespace randomaccess
