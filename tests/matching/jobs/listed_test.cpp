// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that stay listed at their senders: memory stays bounded, nothing is lost, receives and
// probes find them, in order and in any order.
#include <malloc.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/sanitized.hpp"
#include "upwash/core/host.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

void install_share(job& here, std::size_t envelopes, std::size_t bytes = 0) {
  const auto ranks = static_cast<std::size_t>(here.size());
  m::install(here, {.unexpected_bytes = ranks * bytes, .unexpected_envelopes = ranks * envelopes});
  control::barrier(here.world());
}

/// Numbers 0 .. count - 1 from rank 1 to rank 0, each with its number as tag.
struct numbers {
  numbers(const team& world, int count) : values(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) {
      int& value = values[static_cast<std::size_t>(i)];
      value = i;
      going.push_back(m::send(world, 0, i, std::as_bytes(std::span(&value, 1))));
    }
  }
  std::vector<int> values;
  std::vector<request> going;
};

int number_of(const team& world, int source, int tag) {
  int value = -1;
  m::receive(world, source, tag, std::as_writable_bytes(std::span(&value, 1))).wait();
  return value;
}

void send_and_receive(job& here, int count, bool reverse) {
  const team world = here.world();
  if (here.rank() == 1) {
    numbers mine(world, count);
    EXPECT_GE(m::memory_of(here).listed_here, static_cast<std::size_t>(count - 3));
    control::barrier(world);
    wait_all(mine.going);
    EXPECT_EQ(m::memory_of(here).listed_here, 0U);
  } else {
    control::barrier(world);
  }
  if (here.rank() != 0) return;
  for (int i = 0; i < count; ++i) {
    const int tag = reverse ? count - 1 - i : m::any_tag;
    const int source = i % 2 == 0 ? 1 : m::any_source;
    ASSERT_EQ(number_of(world, source, tag), reverse ? tag : i);
  }
  EXPECT_LE(m::memory_of(here).most_kept, 3U);
  EXPECT_EQ(m::memory_of(here).listed_there, 0U);
}

}  // namespace

JOB_TEST(listed_messages, are_received_in_order_and_in_reverse, .least_ranks = 2, .most_ranks = 5) {
  for (const std::size_t envelopes : {std::size_t{0}, std::size_t{3}}) {
    install_share(here, envelopes);
    send_and_receive(here, 200, false);
    send_and_receive(here, 200, true);
    control::barrier(here.world());
  }
}

JOB_TEST(listed_messages, are_seen_by_probes_and_claims, .least_ranks = 2, .most_ranks = 4) {
  const team world = here.world();
  install_share(here, 0);
  numbers mine(world, here.rank() == 1 ? 10 : 0);
  if (here.rank() == 0) {
    EXPECT_EQ(m::wait_for_message(world, m::any_source, 7).bytes, sizeof(int));
    EXPECT_EQ(m::wait_for_message(world, 1, m::any_tag).tag, 0);
    EXPECT_EQ(m::probe(world, 1, m::any_tag)->tag, 0);  // still
    EXPECT_EQ(m::memory_of(here).kept, 0U);
    while (true) {
      auto claimed = m::claim(world, 1, m::any_tag);
      if (!claimed) continue;
      EXPECT_EQ(claimed->what().tag, 0);
      EXPECT_EQ(number_of(world, 1, m::any_tag), 1);  // the next one
      int value = -1;
      m::receive(std::move(*claimed), std::as_writable_bytes(std::span(&value, 1))).wait();
      EXPECT_EQ(value, 0);
      break;
    }
    for (int i = 2; i < 10; ++i) EXPECT_EQ(number_of(world, 1, m::any_tag), i);
    EXPECT_FALSE(m::probe(world, m::any_source, m::any_tag).has_value());
  }
}

JOB_TEST(listed_messages, are_not_given_to_receives_taken_back_while_they_ask, .least_ranks = 2,
         .most_ranks = 4) {
  const team world = here.world();
  install_share(here, 0);
  if (here.rank() == 1) {
    numbers mine(world, 3);
    control::barrier(world);
    wait_all(mine.going);
  } else {
    control::barrier(world);
  }
  if (here.rank() == 0) {
    int values[3] = {-1, -1, -1};
    const auto into = [&](int i) { return std::as_writable_bytes(std::span(&values[i], 1)); };
    m::receiving first = m::receive(world, 1, m::any_tag, into(0));
    m::receiving second = m::receive(world, m::any_source, m::any_tag, into(1));
    m::receiving third = m::receive(world, 1, m::any_tag, into(2));
    const bool back = first.cancel();
    if (!back) first.wait();  // it had its answer already
    EXPECT_EQ(first.wait().cancelled, back);
    second.wait();
    third.wait();
    const int before = back ? 0 : 1;
    EXPECT_EQ(values[0], back ? -1 : 0);
    EXPECT_EQ(values[1], before);
    EXPECT_EQ(values[2], before + 1);
    for (int i = before + 2; i < 3; ++i) EXPECT_EQ(number_of(world, 1, m::any_tag), i);
  }
}

JOB_TEST(listed_messages, of_all_to_one_rank_leave_by_any_source, .least_ranks = 2,
         .most_ranks = 16, .alone = true) {
  const team world = here.world();
  constexpr int count = 40;
  install_share(here, 1);
  numbers mine(world, here.rank() == 0 ? 0 : count);
  if (here.rank() != 0) return wait_all(mine.going);
  std::vector<int> next(static_cast<std::size_t>(here.size()), 0);
  for (int i = 0; i < count * (here.size() - 1); ++i) {
    int value = -1;
    const auto got =
        m::receive(world, m::any_source, m::any_tag, std::as_writable_bytes(std::span(&value, 1)))
            .wait();
    ASSERT_EQ(value, next[static_cast<std::size_t>(got.source)]++);
  }
  EXPECT_LE(m::memory_of(here).most_kept, next.size());
}

JOB_TEST(listed_messages, of_a_million_stay_within_the_limit, .least_ranks = 2, .most_ranks = 2,
         .on_loopback = false, .shares_process = false) {
  const team world = here.world();
  const bool whole = std::getenv("UPWASH_TEST_LONG") != nullptr;
  const int count = whole && !host(here).endpoint().describe().virtual_time ? 1'000'000 : 20'000;
  install_share(here, 1000, 100'000);
  if (here.rank() == 1) {
    numbers mine(world, count);
    control::barrier(world);
    wait_all(mine.going);
  } else {
    control::barrier(world);
    auto full = m::memory_of(here);
    while (full.kept + full.listed_there < static_cast<std::size_t>(count)) {
      here.progress();
      full = m::memory_of(here);
    }
    EXPECT_LE(full.most_kept, 2000U);  // envelopes to fetch, and those that came with their bytes
    EXPECT_LE(full.most_kept_bytes, 100'000U);
    for (int i = 0; i < count; ++i) {
      const int tag = i % 1000 == 0 ? i : m::any_tag;
      ASSERT_EQ(number_of(world, 1, tag), i);
    }
    EXPECT_EQ(m::memory_of(here).most_kept, full.most_kept);
  }
}

JOB_TEST(listed_messages, are_found_by_polls_of_two_patterns_in_turn, .least_ranks = 2,
         .most_ranks = 4) {
  const team world = here.world();
  install_share(here, 0);
  numbers mine(world, here.rank() == 1 ? 4 : 0);
  if (here.rank() == 0) {
    // A pattern that was found stays so, whatever is asked in between.
    bool found[2] = {false, false};
    while (!found[0] || !found[1]) {
      for (const int tag : {2, 3}) {
        const bool now = m::probe(world, m::any_source, tag).has_value();
        EXPECT_TRUE(now || !found[tag - 2]);
        found[tag - 2] = now;
      }
    }
    EXPECT_TRUE(m::claim(world, m::any_source, 3).has_value());  // and dropped
    const m::receipt first = m::wait_for_message(world, m::any_source, m::any_tag);
    EXPECT_EQ(first.tag, 0);
    // Narrower than what was found, but it fits.
    EXPECT_TRUE(m::claim(world, first.source, first.tag).has_value());
    EXPECT_EQ(number_of(world, 1, m::any_tag), 1);
    EXPECT_EQ(number_of(world, m::any_source, 2), 2);
  }
}

JOB_TEST(listed_messages, are_claimed_right_after_they_were_found, .least_ranks = 2,
         .most_ranks = 4) {
  const team world = here.world();
  constexpr int count = 30;
  install_share(here, 0);
  numbers mine(world, here.rank() == 1 ? count : 0);
  if (here.rank() == 0) {
    for (int i = 0; i < count; ++i) {
      // A receive that still asks its senders must not hide what was found.
      int value = -1;
      m::receiving other =
          m::receive(world, 1, count + i, std::as_writable_bytes(std::span(&value, 1)));
      const m::receipt got = m::wait_for_message(world, m::any_source, m::any_tag);
      EXPECT_EQ(got.tag, i);
      auto claimed = m::claim(world, got.source, got.tag);
      ASSERT_TRUE(claimed.has_value()) << i;
      EXPECT_EQ(claimed->what().tag, i);
      EXPECT_TRUE(other.cancel());
    }
  }
}

namespace {

/// What malloc has given to this process.
std::size_t allocated() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

JOB_TEST(listed_messages, take_no_more_memory_than_the_limit, .least_ranks = 2, .most_ranks = 2,
         .on_sim = false, .on_direct = false, .on_loopback = false, .shares_process = false) {
  if (test::sanitized) return;  // mallinfo knows nothing there
  constexpr std::size_t share = std::size_t{4} << 20U;
  constexpr int count = 40'000;  // all of them would take twice as much, and more
  install_share(here, 0, share);
  const team world = here.world();
  const std::size_t before = allocated();
  if (here.rank() == 1) {
    numbers mine(world, count);
    while (m::memory_of(here).queued != 0) here.progress();
    EXPECT_NE(m::memory_of(here).listed_here, 0U);
    control::barrier(world);
    control::barrier(world);
    wait_all(mine.going);
    return;
  }
  control::barrier(world);
  EXPECT_GT(m::memory_of(here).kept, share / 600);
  EXPECT_LT(allocated() - before, share + share / 8);
  control::barrier(world);
  for (int i = 0; i < count; ++i) ASSERT_EQ(number_of(world, 1, i), i);
}
