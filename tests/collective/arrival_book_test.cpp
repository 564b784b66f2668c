// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/arrival_book.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace upwash::collective::detail {
namespace {

constexpr edge_key key{1, 2, 3, 4};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string text_of(const early& came) {
  return {reinterpret_cast<const char*>(came.bytes.data()), came.bytes.size()};
}

TEST(arrival_book, a_message_finds_the_receive_that_waits_for_it_once) {
  arrival_book book;
  slot waits;
  EXPECT_EQ(book.claim(key), nullptr);
  book.post(key, waits);
  for (const edge_key& other :
       {edge_key{9, 2, 3, 4}, edge_key{1, 9, 3, 4}, edge_key{1, 2, 9, 4}, edge_key{1, 2, 3, 9}}) {
    EXPECT_EQ(book.claim(other), nullptr);
  }
  EXPECT_EQ(book.claim(key), &waits);
  EXPECT_EQ(book.claim(key), nullptr);
}

TEST(arrival_book, keeps_what_comes_early_in_its_order) {
  arrival_book book;
  EXPECT_FALSE(book.take(key));
  book.keep(key, arrived::bytes, bytes_of("first"), {});
  book.keep(key, arrived::bytes, bytes_of("second, which is longer"), {});
  offer from;
  from.sender = 77;
  book.keep(key, arrived::offered, {}, from);
  auto came = book.take(key);
  ASSERT_TRUE(came);
  EXPECT_EQ(text_of(*came), "first");
  book.give_back(std::move(*came));
  came = book.take(key);
  ASSERT_TRUE(came);
  EXPECT_EQ(text_of(*came), "second, which is longer");
  came = book.take(key);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->what, arrived::offered);
  EXPECT_EQ(came->from.sender, 77U);
  EXPECT_FALSE(book.take(key));
}

TEST(arrival_book, gives_the_messages_of_an_edge_by_rising_source) {
  arrival_book book;
  const auto from = [](int source, std::uint64_t edge) { return edge_key{1, 2, edge, source}; };
  book.keep(from(5, 3), arrived::bytes, bytes_of("5a"), {});
  book.keep(from(2, 3), arrived::bytes, bytes_of("2a"), {});
  book.keep(from(2, 8), arrived::bytes, bytes_of("another edge's"), {});
  book.keep(from(5, 3), arrived::bytes, bytes_of("5b"), {});
  book.keep(from(0, 3), arrived::bytes, bytes_of("0a"), {});
  std::vector<std::string> all;
  for (const auto& [of, came] : book.take_of_any_source(from(-1, 3))) all.push_back(text_of(came));
  EXPECT_EQ(all, (std::vector<std::string>{"0a", "2a", "5a", "5b"}));
  EXPECT_TRUE(book.take_of_any_source(from(-1, 3)).empty());
  EXPECT_TRUE(book.take(from(2, 8)));
}

TEST(arrival_book, a_sender_takes_a_free_place_once) {
  arrival_book book;
  slot sends;
  EXPECT_FALSE(book.take_place(key, sends));
  EXPECT_EQ(book.place_is_free(key), &sends);
  EXPECT_TRUE(book.take_place(key, sends));
  EXPECT_EQ(book.place_is_free(key), nullptr);  // nobody waited
  EXPECT_TRUE(book.take_place(key, sends));
  EXPECT_FALSE(book.take_place(key, sends));
}

TEST(arrival_book, forgets_whose_operation_is_given_up) {
  arrival_book book;
  struct alignas(64) place {};
  std::array<place, 2> places;  // only compared: no operation is looked into
  auto* const gone = reinterpret_cast<operation*>(&places[0]);
  auto* const stays = reinterpret_cast<operation*>(&places[1]);
  std::array<slot, 4> slots;
  slots[0].of = slots[1].of = gone;
  slots[2].of = slots[3].of = stays;
  book.post({1, 1, 1, 1}, slots[0]);
  EXPECT_FALSE(book.take_place({1, 1, 1, 2}, slots[1]));
  book.post({1, 2, 1, 1}, slots[2]);
  EXPECT_FALSE(book.take_place({1, 2, 1, 2}, slots[3]));
  book.forget(*gone);
  EXPECT_EQ(book.claim({1, 1, 1, 1}), nullptr);
  EXPECT_EQ(book.place_is_free({1, 1, 1, 2}), nullptr);
  EXPECT_EQ(book.claim({1, 2, 1, 1}), &slots[2]);
  EXPECT_EQ(book.place_is_free({1, 2, 1, 2}), &slots[3]);
}

TEST(spare_bytes, uses_buffers_again_and_keeps_a_bounded_number) {
  spare_bytes spare;
  const std::vector<std::byte> text(100, std::byte{7});
  auto first = spare.copy_of(text);
  EXPECT_EQ(first, text);
  const std::byte* const where = first.data();
  spare.give_back(std::move(first));
  auto again = spare.copy_of(std::span(text).first(80));  // the same power of two
  EXPECT_EQ(again.data(), where);
  EXPECT_EQ(again.size(), 80U);
  EXPECT_NE(spare.copy_of(text).data(), where);
  spare.give_back(std::move(again));
  EXPECT_NE(spare.copy_of(std::span(text).first(60)).data(), where);

  constexpr std::size_t large = std::size_t{64} << 10U;
  const std::vector<std::byte> most(large, std::byte{1});
  std::vector<std::vector<std::byte>> kept;
  for (int i = 0; i < 20; ++i) kept.push_back(spare.copy_of(most));
  std::vector<const std::byte*> places;
  for (auto& each : kept) {
    places.push_back(each.data());
    spare.give_back(std::move(each));
  }
  // 1 MiB is kept: the first 16, the last of them first.
  for (std::size_t i = 16; i-- > 0;) {
    kept[i] = spare.copy_of(most);
    EXPECT_EQ(kept[i].data(), places[i]);
  }
  auto beyond = spare.copy_of(std::vector<std::byte>(large + 1));
  EXPECT_EQ(beyond.size(), large + 1);
  spare.give_back(std::move(beyond));
}

}  // namespace
}  // namespace upwash::collective::detail
