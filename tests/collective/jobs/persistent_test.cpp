// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that are set up once: run and started by turns, moved, with messages of fixed sizes
// that differ from member to member, and among others on the same team.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
using u64 = std::uint64_t;

std::size_t wide(int number) { return static_cast<std::size_t>(number); }

template <class Call>
void expect_refused(const char* why, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no error: " << why;
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

}  // namespace

/// More often than the team's board has places, among other calls, some of them in flight.
JOB_TEST(persistent, runs_and_starts_by_turns) {
  const team& world = here.world();
  const std::array<u64, 2> mine{1, static_cast<u64>(here.rank())};
  std::array<u64, 2> result{};
  std::vector<u64> all(wide(here.size()));
  const u64 one = static_cast<u64>(here.rank()) + 7;
  auto sums = all_reduce<sum>(world, persist, mine, result);
  auto everybody = all_gather(world, persist, std::span(&one, 1), std::span(all));
  auto fence = barrier(world, persist);
  const auto ranks = static_cast<u64>(here.size());
  for (int turn = 0; turn < 200; ++turn) {
    result = {};
    request other = barrier(world);
    turn % 3 == 0 ? sums.start().wait() : sums.run();
    ASSERT_EQ(result[0], ranks) << turn;
    ASSERT_EQ(result[1], ranks * (ranks - 1) / 2);
    everybody.run();
    ASSERT_EQ(all.back(), ranks + 6);
    ASSERT_EQ(all_reduce<most>(world, blocking, turn), turn);
    fence.run();
    other.wait();
  }
}

/// Some members start what others run.
JOB_TEST(persistent, members_may_differ_in_how_they_wait) {
  const team& world = here.world();
  u64 value = 0;
  auto down = broadcast(world, persist, 0, std::span(&value, 1));
  for (u64 turn = 1; turn < 150; ++turn) {
    value = here.rank() == 0 ? turn : 0;
    if ((turn + static_cast<u64>(here.rank())) % 2 == 0) {
      down.start().wait();
    } else {
      down.run();
    }
    ASSERT_EQ(value, turn);
  }
}

JOB_TEST(persistent, what_was_moved_from_is_refused) {
  auto first = barrier(here.world(), persist);
  auto second = std::move(first);
  expect_refused("was moved from", [&] { static_cast<void>(first.start()); });
  expect_refused("was moved from", [&] { first.run(); });
  second.run();
  first = std::move(second);
  expect_refused("was moved from", [&] { second.run(); });
  first.start().wait();
}

JOB_TEST(persistent, a_run_of_what_is_under_way_is_refused, .least_ranks = 2) {
  const team& world = here.world();
  std::vector<u64> data(40'000);
  auto down = broadcast(world, persist, 0, data);
  request running = down.start();
  if (!running.done()) expect_refused("is under way", [&] { down.run(); });
  running.wait();
  barrier(world, blocking);
}

JOB_TEST(persistent, run_of_a_released_team_is_refused) {
  team among = here.world().duplicate();
  auto fence = barrier(among, persist);
  fence.run();
  among.release();
  expect_refused("was released", [&] { fence.run(); });
}

JOB_TEST(persistent, a_small_run_sends_nothing_where_memory_is_shared, .on_packets = false) {
  const int mine = 1;
  int result = 0;
  auto kept = all_reduce<sum>(here.world(), persist, std::span(&mine, 1), std::span(&result, 1));
  kept.run();
  const u64 before = here.counters().messages_sent;
  for (int turn = 0; turn < 10; ++turn) kept.run();
  if (all_direct(here.world())) {
    EXPECT_EQ(here.counters().messages_sent, before);
  }
  EXPECT_EQ(result, here.size());
}

/// Member i has i + 2 j words for member j; their contents change from start to start.
JOB_TEST(persistent, all_to_all_v_of_fixed_sizes) {
  const team& world = here.world();
  const int p = here.size();
  std::array<std::vector<u64>, 4> given;  // bytes and offsets to each, then from each
  u64 out_words = 0;
  u64 in_words = 0;
  for (int peer = 0; peer < p; ++peer) {
    const u64 to = static_cast<u64>(here.rank() + 2 * peer);
    const u64 from = static_cast<u64>(peer + 2 * here.rank());
    given[0].push_back(8 * to);
    given[1].push_back(8 * std::exchange(out_words, out_words + to));
    given[2].push_back(8 * from);
    given[3].push_back(8 * std::exchange(in_words, in_words + from));
  }
  std::vector<u64> in(out_words);
  std::vector<u64> out(in_words);
  auto often = all_to_all_v(world, persist, in, {given[0], given[1]}, out, {given[2], given[3]});
  for (u64 turn = 0; turn < 9; ++turn) {
    std::fill(in.begin(), in.end(), turn * 1000 + static_cast<u64>(here.rank()));
    std::fill(out.begin(), out.end(), 0);
    if (turn % 2 == 0) {
      often.run();
    } else {
      often.start().wait();
    }
    for (int peer = 0; peer < p; ++peer) {
      const auto part = std::span(out).subspan(given[3][wide(peer)] / 8, given[2][wide(peer)] / 8);
      for (const u64 word : part) ASSERT_EQ(word, turn * 1000 + static_cast<u64>(peer));
    }
  }
}

JOB_TEST(persistent, many_to_many_of_fixed_sizes, .most_ranks = 17) {
  const team& world = here.world();
  const auto next = static_cast<u64>((here.rank() + 1) % here.size());
  const std::array<u64, 2> to{next, next};
  const std::array<u64, 2> bytes{8, 16};
  const std::array<u64, 2> offsets{0, 8};
  std::array<u64, 3> data{};
  struct sums {
    u64 messages = 0;
    u64 total = 0;
  } came;
  const collective::collect_handler taken{
      [](int, std::span<const std::byte> message, void* context) {
        auto& all = *static_cast<sums*>(context);
        ++all.messages;
        for (std::size_t i = 0; i < message.size() / 8; ++i) {
          u64 word = 0;
          std::memcpy(&word, message.data() + 8 * i, 8);
          all.total += word;
        }
      },
      &came};
  auto often = many_to_many(world, persist, data, {to, bytes, offsets}, taken);
  auto spread =
      many_to_many_multicast(world, persist, std::as_bytes(std::span(data).first(1)), to, taken);
  const auto before = static_cast<u64>((here.rank() + here.size() - 1) % here.size());
  for (u64 turn = 1; turn < 8; ++turn) {
    data = {turn, 10 * turn, static_cast<u64>(here.rank())};
    came = {};
    turn % 2 == 0 ? often.run() : often.start().wait();
    ASSERT_EQ(came.messages, 2U);
    ASSERT_EQ(came.total, 11 * turn + before);
    spread.run();
    ASSERT_EQ(came.messages, 4U);
    ASSERT_EQ(came.total, 13 * turn + before);
  }
}

/// The same with containers, in the other forms of a call.
JOB_TEST(persistent, containers_where_sizes_differ, .most_ranks = 9) {
  const team& world = here.world();
  const auto next = static_cast<u64>((here.rank() + 1) % here.size());
  const auto before = static_cast<u64>((here.rank() + here.size() - 1) % here.size());
  std::vector<int> data{here.rank(), here.rank() + 1};
  int total = 0;
  const collective::collect_handler taken{
      [](int, std::span<const std::byte> message, void* context) {
        int item = 0;
        std::memcpy(&item, message.data(), sizeof item);
        *static_cast<int*>(context) += item;
      },
      &total};
  const std::vector<u64> to{next};
  const std::vector<u64> bytes{sizeof(int)};
  const std::vector<u64> offsets{sizeof(int)};
  many_to_many(world, data, {to, bytes, offsets}, taken).wait();
  EXPECT_EQ(total, static_cast<int>(before) + 1);
  many_to_many_multicast(world, blocking, data, to, taken);
  EXPECT_EQ(total, 2 * static_cast<int>(before) + 1);
  std::vector<u64> sizes(wide(here.size()), sizeof(int));
  std::vector<u64> places(wide(here.size()));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i * sizeof(int);
  std::vector<int> in(wide(here.size()), here.rank());
  std::vector<int> out(wide(here.size()));
  all_to_all_v(world, blocking, in, {sizes, places}, out, {sizes, places});
  for (int member = 0; member < here.size(); ++member) EXPECT_EQ(out[wide(member)], member);
  all_to_all_v(world, out, {sizes, places}, in, {sizes, places}).wait();
  for (int member = 0; member < here.size(); ++member) EXPECT_EQ(in[wide(member)], here.rank());
}
