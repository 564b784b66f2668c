// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What comes with a message, and a message that is kept.
#include <gtest/gtest.h>

#include <cstring>

#include "upwash/base/copy_short.hpp"
#include "upwash/matching/detail/entries.hpp"

namespace upwash::matching::detail {
namespace {

TEST(message_label, of_a_plain_message_has_each_value_in_its_field) {
  for (const bool ready : {false, true}) {
    const label made = plain_label(0x1234'5678'9abc'def0U, 0x7123'4567, -7, ready);
    EXPECT_EQ(made.team, 0x1234'5678'9abc'def0U);
    EXPECT_EQ(made.sender, 0U);
    EXPECT_EQ(made.member, 0x7123'4567);
    EXPECT_EQ(made.tag, -7);
    EXPECT_EQ(made.kind, 0U);
    EXPECT_EQ(made.ready, ready ? 1 : 0);
    EXPECT_EQ(made.listed, 0);
  }
}

TEST(unexpected_message, is_told_from_where_it_is_kept) {
  for (std::size_t bytes = 0; bytes <= 2 * unexpected_message::most_inside; ++bytes) {
    const std::vector<std::byte> sent(bytes, static_cast<std::byte>(bytes + 1));
    unexpected_message kept;
    kept.size = bytes;
    if (bytes <= unexpected_message::most_inside) {
      copy_short(kept.inside, sent.data(), bytes);
    } else {
      kept.bytes = sent;
    }
    ASSERT_EQ(kept.payload().size(), bytes);
    EXPECT_EQ(std::memcmp(kept.payload().data(), sent.data(), bytes), 0);
  }
}

}  // namespace
}  // namespace upwash::matching::detail
