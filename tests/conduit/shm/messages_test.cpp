// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages between endpoints of the shared-memory conduit: the invariants of endpoint.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/conduit/shm/threads_job.hpp"

namespace upwash::conduit {
namespace {

using testing::threads_job;

/// Keeps what arrives; may do something for each message.
struct inbox final : sink {
  struct entry {
    int source;
    int destination;
    lane kind;
    std::uint64_t number;
    std::vector<std::byte> payload;
  };
  void deliver(const message& m) override {
    entry one{m.source, m.destination, m.kind, 0, {m.payload.begin(), m.payload.end()}};
    std::memcpy(&one.number, m.arguments.data(), sizeof one.number);
    entries.push_back(one);
    if (then) then(m);
  }
  std::vector<entry> entries;
  std::function<void(const message&)> then;
};

injection send(threads_job& job, int from, int to, std::uint64_t number,
               std::span<const std::byte> payload = {}, lane kind = lane::request,
               bool from_handler = false) {
  message m;
  m.handler = {17, 1};
  m.kind = kind;
  m.source = from;
  m.destination = to;
  m.arguments = std::as_bytes(std::span(&number, 1));
  m.payload = payload;
  return job.at(from).send(m, from_handler);
}

void poll(threads_job& job, int rank) { job.at(rank).poll(rank); }

/// Polls until nothing comes: one poll may leave what it has not looked at yet.
int drain(threads_job& job, int rank) {
  int taken = 0;
  while (const int now = job.at(rank).poll(rank)) taken += now;
  return taken;
}

TEST(shm_messages, payload_of_each_size_arrives_whole) {
  threads_job job(2);
  inbox in;
  job.at(1).attach(1, &in);
  const std::size_t most = job.at(0).describe().of(nearness::node).medium_bytes;
  EXPECT_GE(most, 8192U);
  std::vector<std::byte> data(most);
  for (std::size_t i = 0; i < most; ++i) data[i] = static_cast<std::byte>(i * 31);
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) sizes.push_back(bytes);
  for (std::size_t bytes = 512; bytes <= most; bytes *= 2) sizes.push_back(bytes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    while (send(job, 0, 1, i, std::span(data).first(sizes[i])).what != outcome::done) poll(job, 1);
  }
  while (in.entries.size() < sizes.size()) poll(job, 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(in.entries[i].number, i);
    ASSERT_EQ(in.entries[i].payload.size(), sizes[i]);
    EXPECT_TRUE(
        std::equal(in.entries[i].payload.begin(), in.entries[i].payload.end(), data.begin()));
  }
}

TEST(shm_messages, E1_order_holds_in_each_lane) {
  threads_job job(2);
  inbox in;
  job.at(1).attach(1, &in);
  std::uint64_t sent[lane_count] = {};
  for (int i = 0; i < 30'000; ++i) {
    const auto kind = static_cast<lane>(i % 3);
    auto& number = sent[i % 3];
    if (send(job, 0, 1, number, {}, kind).what == outcome::done) ++number;
    if (i % 50 == 0) poll(job, 1);
  }
  for (int i = 0; i < 10; ++i) poll(job, 1);
  std::uint64_t seen[lane_count] = {};
  for (const auto& one : in.entries) EXPECT_EQ(one.number, seen[static_cast<int>(one.kind)]++);
  for (std::size_t k = 0; k < lane_count; ++k) EXPECT_EQ(seen[k], sent[k]);
}

TEST(shm_messages, E2_full_receiver_delays_nobody_else) {
  // Ranks 0, 1, 2 flood rank 3, which never polls; traffic among 0, 1, 2 goes on all the while.
  threads_job job(4);
  std::array<inbox, 4> in;
  for (int r = 0; r < 4; ++r) job.at(r).attach(r, &in[static_cast<std::size_t>(r)]);
  for (int r = 0; r < 3; ++r) {
    std::uint64_t number = 0;
    while (send(job, r, 3, number).what == outcome::done) ++number;
    EXPECT_GE(number, 16U);
    EXPECT_EQ(send(job, r, 3, number).why, retry_reason::no_credit);
  }
  for (std::uint64_t n = 0; n < 10'000; ++n) {
    for (int r = 0; r < 3; ++r) {
      ASSERT_EQ(send(job, r, (r + 1) % 3, n).what, outcome::done);
      EXPECT_EQ(send(job, r, 3, 0).what, outcome::retry);
    }
    for (int r = 0; r < 3; ++r) poll(job, r);
  }
  for (int r = 0; r < 3; ++r) EXPECT_EQ(in[static_cast<std::size_t>(r)].entries.size(), 10'000U);
  EXPECT_TRUE(in[3].entries.empty());
  for (int i = 0; i < 20; ++i) poll(job, 3);
  EXPECT_GE(in[3].entries.size(), 48U);
}

TEST(shm_messages, E3_handlers_inject_but_do_not_poll) {
  threads_job job(2);
  inbox first;
  inbox second;
  int nested = 0;
  second.then = [&](const message& m) {
    if (m.kind != lane::request) return;
    nested += job.at(1).poll(1);
    EXPECT_EQ(send(job, 1, 0, 7, {}, lane::reply, true).what, outcome::done);
  };
  job.at(0).attach(0, &first);
  job.at(1).attach(1, &second);
  ASSERT_EQ(send(job, 0, 1, 1).what, outcome::done);
  ASSERT_EQ(send(job, 0, 1, 2).what, outcome::done);
  EXPECT_EQ(job.at(1).poll(1), 2);
  EXPECT_EQ(nested, 0);
  poll(job, 0);
  EXPECT_EQ(first.entries.size(), 2U);
}

TEST(shm_messages, E4_throttle_stops_new_requests_only) {
  threads_job job(2);
  inbox in;
  job.at(1).attach(1, &in);
  job.at(1).throttle(true);
  EXPECT_EQ(send(job, 0, 1, 0).why, retry_reason::throttled);
  EXPECT_EQ(send(job, 0, 1, 1, {}, lane::request, true).what, outcome::done);
  EXPECT_EQ(send(job, 0, 1, 2, {}, lane::reply).what, outcome::done);
  EXPECT_EQ(send(job, 0, 1, 3, {}, lane::memory).what, outcome::done);
  EXPECT_EQ(drain(job, 1), 3);
  job.at(1).throttle(false);
  EXPECT_EQ(send(job, 0, 1, 4).what, outcome::done);
  EXPECT_EQ(job.at(1).poll(1), 1);
}

TEST(shm_messages, throttle_is_off_when_all_who_turned_it_on_have_turned_it_off) {
  threads_job job(2);
  job.at(1).throttle(true);
  job.at(1).throttle(true);  // another rank of the process
  job.at(1).throttle(false);
  EXPECT_EQ(send(job, 0, 1, 0).why, retry_reason::throttled);
  job.at(1).throttle(false);
  EXPECT_EQ(send(job, 0, 1, 1).what, outcome::done);
}

TEST(shm_messages, messages_before_a_sink_are_kept_in_order) {
  threads_job job(2);
  for (std::uint64_t n = 0; n < 5; ++n) {
    ASSERT_EQ(send(job, 0, 1, n, {}, n % 2 == 0 ? lane::request : lane::memory).what,
              outcome::done);
  }
  drain(job, 1);
  inbox in;
  job.at(1).attach(1, &in);
  ASSERT_EQ(send(job, 0, 1, 6).what, outcome::done);
  drain(job, 1);
  ASSERT_EQ(in.entries.size(), 6U);
  std::vector<std::uint64_t> requests;
  for (const auto& one : in.entries) {
    if (one.kind == lane::request) requests.push_back(one.number);
  }
  EXPECT_EQ(requests, (std::vector<std::uint64_t>{0, 2, 4, 6}));
}

TEST(shm_messages, rank_sends_to_itself_and_to_the_rank_beside_it) {
  threads_job job(2, 2);
  std::array<inbox, 4> in;
  for (int r = 0; r < 4; ++r) job.at(r).attach(r, &in[static_cast<std::size_t>(r)]);
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      ASSERT_EQ(send(job, from, to, static_cast<std::uint64_t>(from)).what, outcome::done);
    }
  }
  drain(job, 1);  // any rank of a process takes what came for all of them
  drain(job, 2);
  for (int r = 0; r < 4; ++r) {
    const auto& got = in[static_cast<std::size_t>(r)].entries;
    ASSERT_EQ(got.size(), 4U);
    for (const auto& one : got) {
      EXPECT_EQ(one.destination, r);
      EXPECT_EQ(one.number, static_cast<std::uint64_t>(one.source));
    }
  }
}

TEST(shm_messages, reservation_is_written_in_place_and_blocks_its_destination_alone) {
  threads_job job(3);
  inbox in;
  job.at(1).attach(1, &in);
  reservation room;
  ASSERT_EQ(job.at(0).prepare(0, 1, lane::request, 4096, room).what, outcome::done);
  EXPECT_EQ(send(job, 0, 1, 0).why, retry_reason::reserved);
  EXPECT_EQ(send(job, 0, 1, 0, {}, lane::reply).what, outcome::done);
  EXPECT_EQ(send(job, 0, 2, 0).what, outcome::done);
  std::memset(room.payload.data(), 0x5a, 100);
  const std::uint64_t number = 9;
  message m;
  m.source = 0;
  m.destination = 1;
  m.arguments = std::as_bytes(std::span(&number, 1));
  m.payload = room.payload.first(100);
  job.at(0).commit(room, m);
  EXPECT_EQ(send(job, 0, 1, 10).what, outcome::done);
  poll(job, 1);
  ASSERT_EQ(in.entries.size(), 3U);
  EXPECT_EQ(in.entries[0].number, 9U);
  EXPECT_EQ(in.entries[0].payload, std::vector<std::byte>(100, std::byte{0x5a}));
  EXPECT_EQ(in.entries[1].number, 10U);
}

TEST(shm_messages, two_threads_exchange_requests_and_replies) {
  threads_job job(2);
  constexpr std::uint64_t count = 20'000;
  const auto body = [&](int me) {
    inbox in;
    std::uint64_t replies = 0;
    in.then = [&](const message& m) {
      if (m.kind == lane::reply) ++replies;
      if (m.kind != lane::request) return;
      EXPECT_EQ(send(job, me, 1 - me, 0, m.payload, lane::reply, true).what, outcome::done);
    };
    job.at(me).attach(me, &in);
    std::vector<std::byte> data(200);
    // One request in flight at a time keeps the peer's replies in credit.
    for (std::uint64_t n = 0; n < count / 10; ++n) {
      while (send(job, me, 1 - me, n, std::span(data).first(n % 200)).what != outcome::done) {
        poll(job, me);
      }
      while (replies <= n) {
        if (job.at(me).poll(me) == 0) std::this_thread::yield();
      }
    }
    while (in.entries.size() < 2 * (count / 10)) {
      if (job.at(me).poll(me) == 0) std::this_thread::yield();
    }
    job.at(me).attach(me, nullptr);
  };
  std::thread other(body, 1);
  body(0);
  other.join();
}

TEST(shm_messages, many_processes_announce_what_they_send) {
  // Above the number of processes whose rings are looked at one by one.
  constexpr int processes = 11;
  threads_job job(processes);
  std::array<inbox, processes> in;
  for (int r = 0; r < processes; ++r) job.at(r).attach(r, &in[static_cast<std::size_t>(r)]);
  std::vector<std::byte> data(job.at(0).describe().of(nearness::node).medium_bytes);
  std::uint64_t sent = 0;
  for (int i = 0; i < 20'000; ++i) {
    const int from = i % processes;
    const int to = (i * 7 + i / 31) % processes;
    const auto kind = static_cast<lane>(i % 3);
    const std::size_t bytes = i % 5 == 0 ? data.size() : 0;
    while (send(job, from, to, 1, std::span(data).first(bytes), kind).what != outcome::done) {
      poll(job, to);
    }
    ++sent;
    if (i % 3 == 0) poll(job, (i / 3) % processes);
  }
  for (int lap = 0; lap < 4; ++lap) {
    for (int r = 0; r < processes; ++r) poll(job, r);
  }
  std::uint64_t got = 0;
  for (const auto& one : in) got += one.entries.size();
  EXPECT_EQ(got, sent);
  for (int lap = 0; lap < 20; ++lap) {
    for (int r = 0; r < processes; ++r) EXPECT_EQ(job.at(r).poll(r), 0);
  }
}

TEST(shm_messages, progress_thread_drains_the_memory_lane_beside_its_rank) {
  threads_job job(2);
  struct : sink {
    void deliver(const message& m) override {
      (m.kind == lane::memory ? memory : other).fetch_add(1);
    }
    std::atomic<int> memory = 0;
    std::atomic<int> other = 0;
  } in;
  job.at(1).attach(1, &in);
  std::atomic<bool> over = false;
  std::thread progress([&] {
    while (!over.load()) {
      if (job.at(1).poll_memory(true) == 0) std::this_thread::yield();
    }
  });
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i) {
    const lane kind = i % 2 == 0 ? lane::memory : lane::request;
    while (send(job, 0, 1, 0, {}, kind).what != outcome::done) {
      if (kind == lane::request || i % 16 == 0) poll(job, 1);
      std::this_thread::yield();
    }
  }
  while (in.memory.load() + in.other.load() < count) poll(job, 1);
  over.store(true);
  progress.join();
  EXPECT_EQ(in.memory.load(), count / 2);
  EXPECT_EQ(in.other.load(), count / 2);
}

}  // namespace
}  // namespace upwash::conduit
