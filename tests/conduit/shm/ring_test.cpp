// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring alone: laps, credit, payload room, reservations, and two threads (for sanitizers).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/conduit/shm/detail/layout.hpp"
#include "upwash/conduit/shm/detail/receiver_ring.hpp"
#include "upwash/conduit/shm/detail/sender_ring.hpp"

namespace upwash::conduit::shm_detail {
namespace {

/// Memory of one ring and its two ends.
struct both_ends {
  both_ends(std::uint32_t line_count, std::uint32_t payload_bytes)
      : lines(std::make_unique<line[]>(line_count)), payload(payload_bytes / line_bytes) {
    ring_place place{lines.get(), reinterpret_cast<std::byte*>(payload.data()), &returned,
                     line_count, payload_bytes};
    out = sender_ring(place);
    in = receiver_ring(place);
  }

  injection push(std::uint64_t number, std::size_t bytes, std::uint16_t destination = 0) {
    std::vector<std::byte> data(bytes, static_cast<std::byte>(number * 7));
    message m;
    m.handler = {static_cast<std::uint32_t>(number), 3};
    m.arguments = std::as_bytes(std::span(&number, 1));
    m.payload = data;
    return out.push(m, 5, destination);
  }

  /// By the short way, else by the other.
  injection push_at_once(std::uint64_t number, std::size_t bytes, std::uint64_t& by_line) {
    const std::vector<std::byte> data(bytes, static_cast<std::byte>(number * 7));
    const small_message m({static_cast<std::uint32_t>(number), 3}, sizeof number, lane::request,
                          false, 5, 0);
    const auto* arguments = reinterpret_cast<const std::byte*>(&number);
    if (!out.push_line(m, arguments, data, 5, 0)) return push(number, bytes);
    ++by_line;
    return injection::done();
  }

  /// Takes at most `most` and checks that they carry the next numbers, and the data of each.
  int take(int most) {
    return in.take(lane::request, most, [&](const message& m, line_tail tail) {
      std::uint64_t number = 0;
      EXPECT_EQ(m.arguments.size(), sizeof number);
      if (m.arguments.size() != sizeof number) return false;
      std::memcpy(&number, m.arguments.data(), sizeof number);
      EXPECT_EQ(number, next++);
      EXPECT_EQ(m.handler, (handler_id{static_cast<std::uint32_t>(number), 3}));
      EXPECT_EQ(tail.source, 5);
      received += m.payload.size();
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.payload.data()) % line_bytes, 0U);
      for (const std::byte b : m.payload) EXPECT_EQ(b, static_cast<std::byte>(number * 7));
      return true;
    });
  }

  struct alignas(line_bytes) block {
    std::byte bytes[line_bytes];
  };
  std::unique_ptr<line[]> lines;
  std::vector<block> payload;
  std::atomic<std::uint32_t> returned = 0;
  sender_ring out;
  receiver_ring in;
  std::uint64_t next = 0;
  std::uint64_t received = 0;
};

bool done(injection result) { return result.what == outcome::done; }

TEST(ring, more_laps_than_sequence_numbers_keep_order_and_data) {
  both_ends ring(8, 4096);
  for (std::uint64_t n = 0; n < 200'000; ++n) {
    ASSERT_TRUE(done(ring.push(n, n % 5 == 0 ? n % 200 : 0)));
    if (n % 3 == 0) ring.take(8);
    if (n % 8 == 7) ring.take(8);
  }
  while (ring.take(8) != 0) {
  }
  EXPECT_EQ(ring.next, 200'000U);
}

TEST(ring, full_ring_answers_no_credit_and_loses_nothing) {
  both_ends ring(8, 4096);
  for (std::uint64_t n = 0; n < 8; ++n) ASSERT_TRUE(done(ring.push(n, 0)));
  const injection refused = ring.push(8, 0);
  EXPECT_EQ(refused.what, outcome::retry);
  EXPECT_EQ(refused.why, retry_reason::no_credit);
  EXPECT_EQ(ring.take(100), 8);
  EXPECT_TRUE(done(ring.push(8, 0)));
  EXPECT_EQ(ring.take(100), 1);
}

TEST(ring, credit_for_few_lines_comes_back_when_the_ring_is_looked_at_empty) {
  both_ends ring(64, 4096);
  // Two payloads fill the ring of payload; two lines are far from a quarter of the lines.
  ASSERT_TRUE(done(ring.push(0, 900)));
  ASSERT_EQ(ring.take(1), 1);
  ASSERT_TRUE(done(ring.push(1, 2048)));
  EXPECT_FALSE(done(ring.push(2, 2048)));
  ASSERT_EQ(ring.take(1), 1);
  for (int looks = 0; looks < 10; ++looks) ring.in.look_empty();
  EXPECT_TRUE(done(ring.push(2, 2048)));
  EXPECT_EQ(ring.take(1), 1);
}

TEST(ring, what_was_read_leaves_room_for_any_message) {
  layout small;
  for (small.payload_bytes = 4096; small.payload_bytes <= 65536; small.payload_bytes *= 2) {
    both_ends ring(64, small.payload_bytes);
    random_stream random(3, small.payload_bytes);
    for (std::uint64_t n = 0; n < 20'000; ++n) {
      // Without another look at the empty ring: the sender must not need what is not given back.
      ASSERT_TRUE(done(ring.push(n, random.below(small.medium_bytes() + 1)))) << "message " << n;
      ASSERT_EQ(ring.take(1), 1);
    }
  }
}

TEST(ring, every_payload_size_up_to_half_the_ring_fits_at_every_position) {
  both_ends ring(16, 4096);
  std::uint64_t n = 0;
  for (std::size_t bytes = 0; bytes <= 2048; ++bytes) {
    while (!done(ring.push(n, bytes))) ring.take(16);
    ++n;
  }
  while (ring.next < n) ring.take(16);
  EXPECT_EQ(ring.received, 2048U * 2049 / 2);
}

TEST(ring, open_reservation_blocks_its_destination_only_and_its_room_stays) {
  both_ends ring(8, 4096);
  std::span<std::byte> room;
  ASSERT_TRUE(done(ring.out.reserve(1024, 5, 7, room)));
  ASSERT_EQ(room.size(), 1024U);
  EXPECT_EQ(ring.push(0, 0, 7).why, retry_reason::reserved);
  std::span<std::byte> second;
  EXPECT_EQ(ring.out.reserve(64, 5, 8, second).why, retry_reason::reserved);
  std::memset(room.data(), 0x55, room.size());
  // Others go on, lap after lap, with payloads; the reserved room is not theirs.
  for (std::uint64_t n = 0; n < 100; ++n) {
    while (!done(ring.push(n, n % 2 == 0 ? 512 : 0))) {
      if (ring.take(8) == 0) {
        for (int looks = 0; looks < 10; ++looks) ring.in.look_empty();
        if (!done(ring.push(n, 0))) FAIL() << "no credit for a line";
        break;
      }
    }
  }
  while (ring.take(8) != 0) {
  }
  for (const std::byte b : room) ASSERT_EQ(b, std::byte{0x55});
  const std::uint64_t number = 100;
  message m;
  m.handler = {100, 3};
  m.arguments = std::as_bytes(std::span(&number, 1));
  std::memset(room.data(), static_cast<int>(static_cast<std::uint8_t>(number * 7)), 1000);
  m.payload = room.first(1000);
  ring.out.commit(m, 5, 7);
  EXPECT_EQ(ring.take(8), 1);
  for (std::uint64_t n = 101; n < 200; ++n) {
    while (!done(ring.push(n, 1500, 7))) {
      if (ring.take(8) == 0) ring.in.look_empty();
    }
  }
}

TEST(ring, cancelled_reservations_give_their_room_back) {
  both_ends ring(8, 4096);
  std::uint64_t n = 0;
  for (int i = 0; i < 1000; ++i) {
    std::span<std::byte> room;
    while (!done(ring.out.reserve(2048, 0, 0, room))) {
      if (ring.take(8) == 0) ring.in.look_empty();
    }
    // Sometimes another message takes payload behind the room before it is cancelled.
    if (i % 3 == 0 && done(ring.push(n, 256, 1))) ++n;
    if (i % 2 == 0) ring.take(8);
    ring.out.cancel();
  }
  while (ring.next < n) ring.take(8);
}

TEST(ring, lines_at_once_keep_order_and_the_room_of_payloads_among_them) {
  both_ends ring(16, 4096);
  random_stream random(4, 5);
  std::uint64_t by_line = 0;
  std::uint64_t n = 0;
  for (int step = 0; step < 100'000; ++step) {
    const auto bytes = random.below(3) == 0 ? random.below(1025) : random.below(49);
    if (done(ring.push_at_once(n, static_cast<std::size_t>(bytes), by_line))) {
      ++n;
    } else {
      ASSERT_NE(ring.take(1 + static_cast<int>(random.below(8))), 0);
    }
  }
  while (ring.take(16) != 0) {
  }
  EXPECT_EQ(ring.next, n);
  EXPECT_GT(by_line, n / 4);
}

TEST(ring, lines_at_once_go_only_with_credit_and_no_room_open_and_where_they_may) {
  both_ends ring(8, 4096);
  const std::vector<std::byte> data(48);
  const auto goes = [&](std::size_t arguments, std::size_t payload) {
    const small_message m({1, 2}, arguments, lane::request, false, 5, 0);
    return ring.out.push_line(m, data.data(), std::span(data).first(payload), 5, 0);
  };
  EXPECT_TRUE(goes(48, 0));
  EXPECT_TRUE(goes(8, 40));
  EXPECT_FALSE(goes(8, 41));
  EXPECT_FALSE(goes(48, 1));
  std::span<std::byte> room;
  ASSERT_TRUE(done(ring.out.reserve(64, 5, 7, room)));
  EXPECT_FALSE(goes(8, 0));
  ring.out.cancel();
  for (int more = 0; more < 6; ++more) EXPECT_TRUE(goes(8, 0));
  EXPECT_FALSE(goes(8, 0));
  EXPECT_FALSE(sender_ring().push_line({{1, 2}, 0, lane::request, false, 5, 0}, nullptr, {}, 5, 0));
}

TEST(small_message, is_the_message_that_its_parts_make) {
  const std::vector<std::byte> bytes(48);
  for (const lane kind : {lane::request, lane::reply, lane::memory}) {
    for (const bool from_handler : {false, true}) {
      const handler_id handler{0xfedcba98U, 0xf1};
      const small_message small(handler, bytes.size(), kind, from_handler, 65'535, 1 << 30);
      const message m = small.with(bytes.data(), std::span(bytes).first(3));
      EXPECT_EQ(m.handler, handler);
      EXPECT_EQ(m.kind, kind);
      EXPECT_EQ(m.source, 65'535);
      EXPECT_EQ(m.destination, 1 << 30);
      EXPECT_EQ(m.arguments.size(), bytes.size());
      EXPECT_EQ(m.payload.size(), 3U);
      EXPECT_EQ(small.from_handler(), from_handler);
      const line_head head = line_head::from(small.call() | std::uint64_t{0xffff} << 48U);
      EXPECT_EQ(head.handler_offset(), handler.offset);
      EXPECT_EQ(head.handler_module(), handler.module);
      EXPECT_EQ(head.argument_bytes(), bytes.size());
      EXPECT_EQ(head.payload_bytes(), 0xffff);
      EXPECT_EQ(line_head(handler, bytes.size(), 0xffff).word(), head.word());
    }
  }
}

TEST(ring, two_threads_see_each_message_whole_and_in_order) {
  both_ends ring(16, 4096);
  constexpr std::uint64_t count = 20'000;
  std::thread producer([&] {
    random_stream random(1, 2);
    std::uint64_t by_line = 0;
    for (std::uint64_t n = 0; n < count; ++n) {
      const auto bytes = static_cast<std::size_t>(random.below(4) == 0 ? random.below(2049) : 0);
      while (!done(n % 2 == 0 ? ring.push(n, bytes) : ring.push_at_once(n, bytes, by_line))) {
        std::this_thread::yield();
      }
    }
  });
  while (ring.next < count) {
    if (ring.take(7) == 0) std::this_thread::yield();
  }
  producer.join();
}

TEST(ring, short_copy_moves_each_size_and_nothing_else) {
  for (std::size_t bytes = 0; bytes <= 48; ++bytes) {
    std::vector<std::byte> from(bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i + 1);
    std::vector<std::byte> to(bytes + 1, std::byte{0xee});
    copy_short(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    EXPECT_EQ(to[bytes], std::byte{0xee});
  }
}

}  // namespace
}  // namespace upwash::conduit::shm_detail
