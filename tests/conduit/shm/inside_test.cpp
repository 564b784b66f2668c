// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between ranks that take turns in a process: handled where they are sent, but never out
// of their order nor inside a handler.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "tests/conduit/shm/threads_job.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/process.hpp"

namespace upwash::conduit {
namespace {

using testing::threads_job;

struct arrival {
  int source;
  std::uint64_t number;
  std::vector<std::byte> payload;
  int running;  ///< rank that the process runs meanwhile

  friend bool operator==(const arrival&, const arrival&) = default;
};

struct inbox final : sink {
  void deliver(const message& m) override {
    arrival one{m.source, 0, {m.payload.begin(), m.payload.end()}, process::current_rank()};
    std::memcpy(&one.number, m.arguments.data(), sizeof one.number);
    came.push_back(one);
    if (then) then();
  }
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> all;
    for (const arrival& each : came) all.push_back(each.number);
    return all;
  }
  std::vector<arrival> came;
  std::function<void()> then;
};

/// Four ranks in one process; rank 0 acts, the others have left.
class inside {
 public:
  inside() : job_(1, 4) {
    for (int rank = 0; rank < 4; ++rank) at().attach(rank, &of(rank));
  }

  void as_rank_0(function_ref<void()> act) {
    job_.world_of(0).run([&](int rank) {
      if (rank == 0) act();
    });
  }
  [[nodiscard]] endpoint& at() { return job_.at(0); }
  [[nodiscard]] inbox& of(int rank) { return inboxes_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] outcome try_to_send(int from, int to, std::uint64_t number,
                                    bool from_handler = false) {
    return at().send(message_of(from, to, number), from_handler).what;
  }
  void send(int from, int to, std::uint64_t number, bool from_handler = false) {
    EXPECT_EQ(try_to_send(from, to, number, from_handler), outcome::done);
  }
  [[nodiscard]] reservation open_room(int from, int to, std::string_view text) {
    reservation room;
    EXPECT_EQ(at().prepare(from, to, lane::request, text.size(), room).what, outcome::done);
    std::memcpy(room.payload.data(), text.data(), text.size());
    return room;
  }
  void commit(const reservation& room, std::size_t bytes, std::uint64_t number) {
    message m = message_of(room.source, room.destination, number);
    m.payload = std::span<const std::byte>(room.payload).first(bytes);
    at().commit(room, m);
  }
  /// Rounds in which the process takes what came.
  void poll() {
    for (int round = 0; round < 8; ++round) job_.world_of(0).waiter_of(0).yield(0);
  }

 private:
  [[nodiscard]] message message_of(int from, int to, std::uint64_t number) {
    number_ = number;
    message m;
    m.handler = {17, 1};
    m.kind = lane::request;
    m.source = from;
    m.destination = to;
    m.arguments = std::as_bytes(std::span(&number_, 1));
    return m;
  }

  threads_job job_;
  std::array<inbox, 4> inboxes_;
  std::uint64_t number_ = 0;
};

using numbers = std::vector<std::uint64_t>;

TEST(inside_a_process, a_message_is_handled_where_it_is_sent_as_the_rank_it_is_for) {
  inside job;
  job.as_rank_0([&] {
    job.send(0, 2, 5);
    EXPECT_EQ(job.of(2).came, (std::vector<arrival>{{0, 5, {}, 2}}));
    EXPECT_EQ(process::current_rank(), 0);
  });
}

TEST(inside_a_process, a_message_of_a_handler_waits_for_a_poll) {
  inside job;
  job.of(1).then = [&] {
    job.send(1, 3, 8, true);
    EXPECT_TRUE(job.of(3).came.empty()) << "a handler ran inside a handler";
  };
  job.as_rank_0([&] {
    job.send(0, 1, 7);
    EXPECT_EQ(job.of(1).numbers(), numbers{7});
    job.poll();
    EXPECT_EQ(job.of(3).came, (std::vector<arrival>{{1, 8, {}, 3}}));
  });
}

TEST(inside_a_process, nothing_overtakes_what_the_ring_still_holds) {
  inside job;
  job.of(1).then = [&] {
    if (job.of(1).came.size() == 1) job.send(1, 3, 1, true);
  };
  job.as_rank_0([&] {
    job.send(0, 1, 0);  // its handler leaves message 1 in the ring
    job.send(1, 3, 2);
    EXPECT_TRUE(job.of(3).came.empty());
    job.poll();
    EXPECT_EQ(job.of(3).numbers(), (numbers{1, 2}));
    job.send(1, 3, 3);
    EXPECT_EQ(job.of(3).numbers(), (numbers{1, 2, 3})) << "the ring is empty again";
  });
}

TEST(inside_a_process, a_message_to_oneself_waits_for_a_poll) {
  inside job;
  job.as_rank_0([&] {
    job.send(0, 0, 4);
    EXPECT_TRUE(job.of(0).came.empty());
    job.poll();
    EXPECT_EQ(job.of(0).numbers(), numbers{4});
  });
}

TEST(inside_a_process, a_room_is_read_where_it_is_committed_and_nothing_passes_it) {
  inside job;
  job.as_rank_0([&] {
    const reservation room = job.open_room(0, 2, "whole");
    EXPECT_EQ(job.try_to_send(0, 2, 2), outcome::retry) << "the room is older";
    EXPECT_TRUE(job.of(2).came.empty());
    job.commit(room, 5, 1);
    job.send(0, 2, 2);
    ASSERT_EQ(job.of(2).numbers(), (numbers{1, 2}));
    const std::vector<std::byte>& payload = job.of(2).came[0].payload;
    ASSERT_EQ(payload.size(), 5U);
    EXPECT_EQ(std::memcmp(payload.data(), "whole", 5), 0);
  });
}

TEST(inside_a_process, messages_to_a_rank_without_a_sink_are_kept_for_it_in_order) {
  inside job;
  inbox late;
  job.at().attach(3, nullptr);
  job.as_rank_0([&] {
    for (std::uint64_t n = 0; n < 3; ++n) job.send(0, 3, n);
    job.poll();
    EXPECT_TRUE(job.of(3).came.empty());
    job.at().attach(3, &late);
    job.send(0, 3, 3);
    job.poll();
    EXPECT_EQ(late.numbers(), (numbers{0, 1, 2, 3}));
  });
}

}  // namespace
}  // namespace upwash::conduit
