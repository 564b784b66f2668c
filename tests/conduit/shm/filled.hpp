// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What tests of memory write and look for, and a completion that counts.
#pragma once

#include <cstddef>
#include <vector>

#include "upwash/conduit/message.hpp"

namespace upwash::testing {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

inline std::byte pattern(std::size_t i, int owner) {
  return static_cast<std::byte>(i * 13 + i / 251 + static_cast<std::size_t>(owner) * 71);
}

inline std::vector<std::byte> filled(std::size_t bytes, int owner) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(i, owner);
  return data;
}

struct told final : conduit::completion {
  told() {
    tell = [](conduit::completion& self) noexcept { ++static_cast<told&>(self).times; };
  }
  int times = 0;
};

}  // namespace upwash::testing
