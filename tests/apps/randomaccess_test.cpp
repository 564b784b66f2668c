// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "apps/randomaccess/generator.hpp"
#include "apps/randomaccess/table.hpp"

TEST(randomaccess, jumps_to_any_number_of_the_sequence) {
  std::uint64_t number = 1;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(randomaccess::number_at(i), number) << i;
    number = randomaccess::next(number);
  }
}

TEST(randomaccess, numbers_go_round_after_the_period_of_the_challenge) {
  constexpr std::uint64_t period = 1317624576693539401U;
  EXPECT_EQ(randomaccess::number_at(period), 1U);
  EXPECT_EQ(randomaccess::number_at(period + 77), randomaccess::number_at(77));
}

TEST(randomaccess, each_word_has_one_owner_and_a_place_there) {
  for (const int ranks : {1, 2, 3, 5, 8, 33}) {
    const randomaccess::distribution placed(16, ranks);
    std::uint64_t covered = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(placed.first(rank), covered) << ranks << " ranks, rank " << rank;
      for (std::uint64_t i = 0; i < placed.count(rank); ++i) {
        // Only the lower bits of an update count.
        const std::uint64_t update = 0xabcdef0000000000U + covered + i;
        EXPECT_EQ(placed.owner(update), rank) << ranks << " ranks, word " << covered + i;
        EXPECT_EQ(placed.word(update) - placed.first(rank), i) << ranks << " ranks";
      }
      covered += placed.count(rank);
    }
    EXPECT_EQ(covered, 16U) << ranks << " ranks";
  }
}

TEST(randomaccess, changed_words_are_those_that_are_not_as_at_first) {
  std::vector<std::uint64_t> words(5);
  randomaccess::fill(words, 10);
  EXPECT_EQ(randomaccess::changed(words, 10), 0U);
  words[0] ^= 1;
  words[4] ^= 8;
  EXPECT_EQ(randomaccess::changed(words, 10), 2U);
}
