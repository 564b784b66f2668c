// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/crc32c.hpp"

#include <array>

namespace upwash {
namespace {

using table = std::array<std::uint32_t, 256>;

/// Row k: what a byte does to the sum when k more bytes have come.
constexpr std::array<table, 8> make_tables() {
  constexpr std::uint32_t polynomial = 0x82f63b78U;  // bits reversed
  std::array<table, 8> made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? polynomial : 0U);
    made[0][byte] = sum;
  }
  for (std::size_t k = 1; k < made.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = made[k - 1][byte];
      made[k][byte] = (sum >> 8U) ^ made[0][sum & 0xffU];
    }
  }
  return made;
}

constexpr std::array<table, 8> tables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t sum = ~before;
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    sum ^= at(0) | at(1) << 8U | at(2) << 16U | at(3) << 24U;
    sum = tables[7][sum & 0xffU] ^ tables[6][(sum >> 8U) & 0xffU] ^
          tables[5][(sum >> 16U) & 0xffU] ^ tables[4][sum >> 24U] ^ tables[3][at(4)] ^
          tables[2][at(5)] ^ tables[1][at(6)] ^ tables[0][at(7)];
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum = (sum >> 8U) ^ tables[0][(sum ^ at(i)) & 0xffU];
  }
  return ~sum;
}

}  // namespace upwash
