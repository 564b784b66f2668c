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
    const label made = plain_label(0x1234'5678'9abc'def0U, 0x7123'4567, -7, ready, 0xfedc);
    EXPECT_EQ(made.team, 0x1234'5678'9abc'def0U);
    EXPECT_EQ(made.sender, 0U);
    EXPECT_EQ(made.member, 0x7123'4567);
    EXPECT_EQ(made.tag, -7);
    EXPECT_EQ(made.kind, 0U);
    EXPECT_EQ(made.ready, ready ? 1 : 0);
    EXPECT_EQ(made.listed, 0);
    EXPECT_EQ(made.type, 0xfedc);
  }
}

struct first_class {
  double x;
};
struct second_class {
  double x;
};
enum class color : std::uint32_t {};

TEST(item_types, fit_their_own_kind_and_size) {
  const auto fits = []<class Sent, class Wanted>(Sent, Wanted) {
    return codes_fit(item_type_of<Sent>().code, item_type_of<Wanted>().code);
  };
  EXPECT_TRUE(fits(1, 2));
  EXPECT_TRUE(fits(1L, 1LL));
  EXPECT_TRUE(fits(color{}, 1U));
  EXPECT_TRUE(fits(std::byte{}, 1.0));
  EXPECT_TRUE(fits(1.0, first_class{}));
  EXPECT_TRUE(fits(first_class{}, first_class{}));
  EXPECT_FALSE(fits(1, 1U));
  EXPECT_FALSE(fits(1, 1.0F));
  EXPECT_FALSE(fits(1, 1L));
  EXPECT_FALSE(fits(true, static_cast<signed char>(1)));
  EXPECT_FALSE(fits(first_class{}, second_class{}));
  EXPECT_EQ(text_of_code(item_type_of<std::vector<double>>().code), "float64");
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
