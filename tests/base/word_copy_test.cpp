// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/word_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "tests/store_log.hpp"

namespace upwash {
namespace {

constexpr std::size_t most = most_copied_by_words + 40;

std::array<std::byte, most> numbered_bytes() {
  std::array<std::byte, most> bytes{};
  for (std::size_t i = 0; i < most; ++i) bytes[i] = static_cast<std::byte>(i + 1);
  return bytes;
}

TEST(word_copy, copies_each_length_and_touches_no_other_bytes) {
  const auto from = numbered_bytes();
  for (const auto copy : {&store_words, &load_words}) {
    for (std::size_t bytes = 0; bytes <= most_copied_by_words + 16; ++bytes) {
      for (std::size_t at = 0; at < 8; ++at) {
        std::array<std::byte, most> to{};
        copy(to.data() + at, from.data() + 7 - at, bytes);
        for (std::size_t i = 0; i < most; ++i) {
          const bool copied = i >= at && i < at + bytes;
          ASSERT_EQ(to[i], copied ? from[i - at + 7 - at] : std::byte{0})
              << bytes << " bytes to " << at << ", byte " << i;
        }
      }
    }
  }
}

/// The offsets of the stores to [at, at + bytes): each as large as possible, two words at most.
std::vector<std::size_t> words_of(std::size_t at, std::size_t bytes) {
  std::vector<std::size_t> words;
  for (const std::size_t end = at + bytes; at < end;) {
    words.push_back(at);
    std::size_t word = 16;
    while ((word < 16 ? at % word : at % 8) != 0 || word > end - at) word /= 2;
    at += word;
  }
  return words;
}

TEST(word_copy, stores_each_aligned_word_once) {
  if (!test::stores_can_be_recorded) GTEST_SKIP() << "stores cannot be recorded here";
  alignas(test::store_log::page_bytes) static std::array<std::byte, test::store_log::page_bytes> to;
  const auto from = numbered_bytes();
  for (std::size_t bytes = 1; bytes <= most_copied_by_words; ++bytes) {
    for (std::size_t at = 0; at < 8; ++at) {
      test::store_log log(to);
      store_words(to.data() + at, from.data(), bytes);
      ASSERT_EQ(log.stop(), words_of(at, bytes)) << bytes << " bytes to offset " << at;
    }
  }
}

}  // namespace
}  // namespace upwash
