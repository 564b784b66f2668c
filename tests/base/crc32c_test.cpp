// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/crc32c.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string_view>
#include <vector>

#include "upwash/base/random.hpp"

namespace {

using namespace upwash;

std::uint32_t sum_of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

}  // namespace

TEST(crc32c, is_as_published) {
  EXPECT_EQ(sum_of(""), 0U);
  EXPECT_EQ(sum_of("a"), 0xc1d04330U);
  EXPECT_EQ(sum_of("123456789"), 0xe3069283U);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::vector<std::byte>(32)), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0xff})), 0x62a8ab43U);
}

TEST(crc32c, of_parts_is_that_of_the_whole) {
  random_stream from(3, 0);
  std::vector<std::byte> bytes(300);
  for (std::byte& each : bytes) each = static_cast<std::byte>(from.next());
  const std::uint32_t whole = crc32c(bytes);
  const std::span<const std::byte> all(bytes);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    ASSERT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), whole) << cut;
  }
}
