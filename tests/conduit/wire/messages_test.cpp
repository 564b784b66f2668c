// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages between endpoints over packets: the invariants of endpoint.hpp, through a network
// that delays as it likes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "tests/conduit/wire/wire_job.hpp"

namespace upwash::conduit {
namespace {

using test::inbox;
using test::pattern;
using test::wire_job;

constexpr std::uint64_t last_seed = 20;
constexpr std::uint64_t window = 64;  // of two to sixteen processes
/// What two processes may have under way: three lanes, and packets that tell of credits alone.
constexpr std::size_t most_packets = 3 * window + 8;

TEST(wire_messages, payload_of_each_size_arrives_whole_and_in_order) {
  for (std::uint64_t seed = 1; seed <= last_seed; ++seed) {
    wire_job job(2, seed);
    const std::size_t most = job.at(0).describe().of(nearness::remote).medium_bytes;
    EXPECT_GE(most, 512U);
    const auto data = pattern(most);
    for (std::size_t bytes = 0; bytes <= most; ++bytes) {
      while (job.send(0, 1, bytes, std::span(data).first(bytes)).what != outcome::done) {
        job.poll(0);
        job.poll(1);
      }
    }
    job.settle();
    ASSERT_EQ(job.in(1).entries.size(), most + 1);
    for (std::size_t bytes = 0; bytes <= most; ++bytes) {
      const inbox::entry& one = job.in(1).entries[bytes];
      ASSERT_EQ(one.number, bytes) << "seed " << seed;
      ASSERT_EQ(one.payload.size(), bytes);
      ASSERT_TRUE(std::equal(one.payload.begin(), one.payload.end(), data.begin()));
    }
  }
}

TEST(wire_messages, E1_order_holds_in_each_lane) {
  for (std::uint64_t seed = 1; seed <= last_seed; ++seed) {
    wire_job job(2, seed);
    std::array<std::uint64_t, lane_count> sent{};
    for (std::size_t i = 0; i < 5000; ++i) {
      auto& number = sent[i % 3];
      if (job.send(0, 1, number, {}, static_cast<lane>(i % 3)).what == outcome::done) ++number;
      job.poll(i % 2 == 0 ? 0 : 1);
    }
    job.settle();
    std::array<std::uint64_t, lane_count> seen{};
    for (const inbox::entry& one : job.in(1).entries) {
      ASSERT_EQ(one.number, seen[static_cast<std::size_t>(one.kind)]++) << "seed " << seed;
    }
    EXPECT_EQ(seen, sent);
  }
}

TEST(wire_messages, E2_full_receiver_delays_nobody_else) {
  // Ranks 0, 1, 2 flood rank 3, which never polls; traffic among them goes on all the while.
  wire_job job(4, 5);
  for (int r = 0; r < 3; ++r) {
    std::uint64_t number = 0;
    while (job.send(r, 3, number).what == outcome::done) ++number;
    EXPECT_EQ(number, window);
    EXPECT_EQ(job.send(r, 3, number).why, retry_reason::no_credit);
  }
  std::array<std::uint64_t, 3> sent{};
  for (int i = 0; i < 20'000; ++i) {
    for (int r = 0; r < 3; ++r) {
      auto& number = sent[static_cast<std::size_t>(r)];
      if (job.send(r, (r + 1) % 3, number).what == outcome::done) ++number;
      EXPECT_EQ(job.send(r, 3, 0).what, outcome::retry);
      job.poll(r);
    }
  }
  for (const std::uint64_t each : sent) EXPECT_GT(each, 50 * window);
  EXPECT_TRUE(job.in(3).entries.empty());
  job.settle();
  EXPECT_EQ(job.in(3).entries.size(), 3 * window);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(job.in((r + 1) % 3).entries.size(), sent[static_cast<std::size_t>(r)]);
  }
}

TEST(wire_messages, E3_handlers_inject_but_do_not_poll) {
  wire_job job(2, 3);
  int nested = 0;
  job.in(1).then = [&](const message& m) {
    if (m.kind != lane::request) return;
    nested += job.poll(1);
    EXPECT_EQ(job.send(1, 0, 7, {}, lane::reply, true).what, outcome::done);
  };
  ASSERT_EQ(job.send(0, 1, 1).what, outcome::done);
  ASSERT_EQ(job.send(0, 1, 2).what, outcome::done);
  job.settle();
  EXPECT_EQ(nested, 0);
  EXPECT_EQ(job.in(0).entries.size(), 2U);
}

TEST(wire_messages, a_flood_is_bounded_by_credits_whoever_polls) {
  for (std::uint64_t seed = 1; seed <= last_seed; ++seed) {
    wire_job job(3, seed);
    // All to all, in all lanes; rank 2 looks rarely.
    for (int i = 0; i < 3000; ++i) {
      for (int from = 0; from < 3; ++from) {
        for (int to = 0; to < 3; ++to) {
          if (to == from) continue;
          for (const lane kind : {lane::request, lane::reply, lane::memory}) {
            static_cast<void>(job.send(from, to, 0, {}, kind, kind != lane::request));
          }
        }
        if (from != 2 || i % 100 == 0) job.poll(from);
      }
    }
    for (int from = 0; from < 3; ++from) {
      for (int to = 0; to < 3; ++to) {
        EXPECT_LE(job.network().most_in_flight(from, to), most_packets) << "seed " << seed;
      }
    }
    EXPECT_GE(job.network().most_in_flight(0, 2), 3 * window);
  }
}

TEST(wire_messages, credits_come_back_where_nothing_else_does) {
  wire_job job(2, 11);
  std::uint64_t number = 0;
  for (int i = 0; number < 10 * window; ++i) {
    ASSERT_LT(i, 1'000'000) << "no credits came back";
    if (job.send(0, 1, number).what == outcome::done) ++number;
    job.poll(0);
    job.poll(1);
  }
  job.settle();
  EXPECT_EQ(job.in(1).entries.size(), number);
  EXPECT_TRUE(job.in(0).entries.empty());
}

TEST(wire_messages, throttling_counts_the_ranks_that_want_it) {
  wire_job job(2, 7, 2);  // ranks 0 and 1, 2 and 3 share a process
  const auto refused = [&job](int from) {
    const injection sent = job.send(from, 2, 0);
    return sent.what == outcome::retry && sent.why == retry_reason::throttled;
  };
  EXPECT_FALSE(refused(0));
  job.at(2).throttle(true);
  job.at(3).throttle(true);
  job.settle();
  EXPECT_TRUE(refused(0));
  EXPECT_TRUE(refused(1));
  EXPECT_TRUE(refused(3)) << "from inside the process";
  EXPECT_EQ(job.send(0, 2, 0, {}, lane::request, true).what, outcome::done) << "from a handler";
  EXPECT_EQ(job.send(0, 2, 0, {}, lane::reply).what, outcome::done);
  EXPECT_EQ(job.send(0, 2, 0, {}, lane::memory).what, outcome::done);
  job.at(2).throttle(false);
  job.settle();
  EXPECT_TRUE(refused(0)) << "rank 3 still has it on";
  job.at(3).throttle(false);
  job.settle();
  EXPECT_FALSE(refused(0));
  EXPECT_FALSE(refused(3));
}

TEST(wire_messages, throttling_on_and_off_floods_nobody) {
  wire_job job(2, 13);
  const auto refused = [&job] { return job.send(0, 1, 0).why == retry_reason::throttled; };
  for (int i = 0; i < 9'999; ++i) {  // rank 0 does not poll
    job.at(1).throttle(i % 2 == 0);
    job.poll(1);
  }
  EXPECT_LE(job.network().most_in_flight(1, 0), 8U);
  // It is on, which rank 0 need not know until it sends.
  job.settle();
  static_cast<void>(refused());
  job.settle();
  EXPECT_TRUE(refused());
  job.at(1).throttle(false);
  job.settle();
  EXPECT_FALSE(refused());
}

TEST(wire_messages, a_room_is_sent_or_given_back) {
  wire_job job(2, 17);
  const auto data = pattern(300);
  reservation room;
  ASSERT_EQ(job.at(0).prepare(0, 1, lane::request, 512, room).what, outcome::done);
  EXPECT_EQ(job.send(0, 1, 0).why, retry_reason::reserved);
  EXPECT_EQ(job.send(0, 1, 0, {}, lane::reply).what, outcome::done) << "another lane goes on";
  std::copy(data.begin(), data.end(), room.payload.begin());
  const std::uint64_t number = 5;
  job.at(0).commit(room, wire_job::numbered(0, 1, number, room.payload.first(300), lane::request));
  // None takes a credit.
  for (std::uint64_t i = 0; i < 3 * window; ++i) {
    ASSERT_EQ(job.at(0).prepare(0, 1, lane::request, 512, room).what, outcome::done);
    job.at(0).cancel(room);
  }
  job.settle();
  ASSERT_EQ(job.in(1).entries.size(), 2U);
  for (const inbox::entry& one : job.in(1).entries) {
    EXPECT_EQ(one.payload, one.kind == lane::request ? data : std::vector<std::byte>());
  }
}

TEST(wire_messages, open_rooms_of_several_ranks_stop_no_others) {
  wire_job job(2, 17, 4);
  std::vector<reservation> rooms;
  for (int from = 0; from < 3; ++from) {
    for (int to = 4; to < 8; ++to) {
      ASSERT_EQ(job.at(from).prepare(from, to, lane::request, 8, rooms.emplace_back()).what,
                outcome::done);
    }
  }
  for (std::uint64_t n = 0; n < window; ++n) ASSERT_EQ(job.send(3, 4, n).what, outcome::done);
  reservation late;
  EXPECT_EQ(job.at(3).prepare(3, 4, lane::request, 8, late).why, retry_reason::no_credit);
  const std::uint64_t number = 7;
  for (const reservation& room : rooms) {
    job.at(room.source)
        .commit(room, wire_job::numbered(room.source, room.destination, number, room.payload,
                                         lane::request));
  }
  job.settle();
  EXPECT_EQ(job.in(4).entries.size(), window + 3);
  for (int to = 5; to < 8; ++to) EXPECT_EQ(job.in(to).entries.size(), 3U);
  EXPECT_EQ(job.at(3).prepare(3, 4, lane::request, 8, late).what, outcome::done);
}

TEST(wire_messages, what_comes_before_its_rank_is_kept) {
  wire_job job(2, 19);
  job.at(1).attach(1, nullptr);
  for (std::uint64_t n = 0; n < 10; ++n) ASSERT_EQ(job.send(0, 1, n).what, outcome::done);
  job.settle();
  EXPECT_TRUE(job.in(1).entries.empty());
  job.at(1).attach(1, &job.in(1));
  for (std::uint64_t n = 10; n < 20; ++n) ASSERT_EQ(job.send(0, 1, n).what, outcome::done);
  job.settle();
  ASSERT_EQ(job.in(1).entries.size(), 20U);
  for (std::uint64_t n = 0; n < 20; ++n) EXPECT_EQ(job.in(1).entries[n].number, n);
}

TEST(wire_messages, a_lost_process_is_told) {
  wire_job job(3, 23, 2);
  EXPECT_EQ(job.at(0).lost_rank(), -1);
  job.network().lose(2);
  while (job.at(0).lost_rank() < 0) job.poll(0);  // after a while, for better words
  EXPECT_EQ(job.at(0).lost_rank(), 4);
}

}  // namespace
}  // namespace upwash::conduit
