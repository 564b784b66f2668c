// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/copy_short.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace upwash {
namespace {

TEST(copy_short, copies_so_many_bytes_and_touches_no_others) {
  constexpr std::size_t most = most_copied_short + 16;
  std::array<std::byte, most> from{};
  for (std::size_t i = 0; i < most; ++i) from[i] = static_cast<std::byte>(i + 1);
  for (std::size_t bytes = 0; bytes <= most_copied_short; ++bytes) {
    for (std::size_t at = 0; at < 8; ++at) {
      std::array<std::byte, most> to{};
      copy_short(to.data() + at, from.data() + 7 - at, bytes);
      for (std::size_t i = 0; i < most; ++i) {
        const bool copied = i >= at && i < at + bytes;
        ASSERT_EQ(to[i], copied ? from[i - at + 7 - at] : std::byte{0})
            << bytes << " bytes to " << at << ", byte " << i;
      }
    }
  }
}

}  // namespace
}  // namespace upwash
