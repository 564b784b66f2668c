// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two-sided messages on every conduit: modes, sizes, wild receives, probes, cancels, contexts,
// bounded memory, errors.
#include "upwash/matching/messages.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/core/host.hpp"
#include "upwash/matching/options.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

using bytes = std::vector<std::byte>;

/// Bytes that tell who sent what.
bytes bytes_of(std::size_t size, int seed) {
  bytes made(size);
  for (std::size_t i = 0; i < size; ++i) {
    made[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed) * 31);
  }
  return made;
}

constexpr std::size_t sizes[] = {0, 1, 8, 100, 8192, 8193, 100'000, 1'000'000};

}  // namespace

JOB_TEST(messages, of_any_size_arrive_posted_or_not) {
  const team world = here.world();
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  for (const bool posted : {true, false}) {
    for (const m::mode how : {m::mode::standard, m::mode::synchronous, m::mode::ready}) {
      if (how == m::mode::ready && !posted) continue;
      for (const std::size_t size : sizes) {
        bytes into(size + 3);
        const bytes mine = bytes_of(size, here.rank());
        m::receiving coming;
        if (posted) coming = m::receive(world, before, 5, into);
        control::barrier(world);
        request going = m::send(world, next, 5, mine, how);
        if (!posted) coming = m::receive(world, before, 5, into);
        const m::receipt got = coming.wait();
        going.wait();
        into.resize(size);
        ASSERT_EQ(got.source, before);
        ASSERT_EQ(got.bytes, size);
        ASSERT_TRUE(into == bytes_of(size, before)) << size;
      }
    }
  }
}

JOB_TEST(messages, of_one_sender_never_overtake) {
  const team world = here.world();
  if (here.rank() != 0) {
    std::vector<request> going;
    std::vector<bytes> kept;
    for (int i = 0; i < 50; ++i) {
      kept.push_back(bytes_of(i % 3 == 0 ? 20'000 : 16, 0));
      std::memcpy(kept.back().data(), &i, sizeof i);
      going.push_back(m::send(world, 0, i % 2, kept.back()));
    }
    wait_all(going);
    return;
  }
  std::vector<int> last_even(static_cast<std::size_t>(here.size()), -2);
  std::vector<int> last_odd(static_cast<std::size_t>(here.size()), -1);
  bytes into(20'000);
  for (int i = 0; i < 50 * (here.size() - 1); ++i) {
    const m::receipt got = m::receive(world, m::any_source, m::any_tag, into).wait();
    int number = 0;
    std::memcpy(&number, into.data(), sizeof number);
    auto& last = (got.tag == 0 ? last_even : last_odd)[static_cast<std::size_t>(got.source)];
    ASSERT_EQ(number, last + 2) << "from " << got.source;
    last = number;
  }
}

JOB_TEST(messages, of_a_team_are_not_seen_by_another, .least_ranks = 2) {
  const team world = here.world();
  const team other = world.duplicate();
  if (here.rank() == 1) {
    m::send(other, 0, 1, bytes_of(8, 1)).wait();
    m::send(world, 0, 1, bytes_of(8, 2)).wait();
  }
  if (here.rank() == 0) {
    bytes into(8);
    m::receive(world, m::any_source, m::any_tag, into).wait();
    EXPECT_TRUE(into == bytes_of(8, 2));
    m::receive(other, m::any_source, m::any_tag, into).wait();
    EXPECT_TRUE(into == bytes_of(8, 1));
  }
}

JOB_TEST(messages, that_are_probed_stay_and_that_are_claimed_go, .least_ranks = 2) {
  const team world = here.world();
  if (here.rank() == 1) {
    m::send(world, 0, 3, bytes_of(40, 1)).wait();
    const bytes large = bytes_of(50'000, 2);
    m::send(world, 0, 4, large).wait();
  }
  if (here.rank() == 0) {
    const m::receipt first = m::wait_for_message(world, m::any_source, 3);
    EXPECT_EQ(first.bytes, 40U);
    EXPECT_EQ(first.source, 1);
    EXPECT_TRUE(m::probe(world, 1, 3).has_value());
    (void)m::wait_for_message(world, 1, 4);
    EXPECT_FALSE(m::probe(world, 0, m::any_tag).has_value());
    auto claimed = m::claim(world, m::any_source, m::any_tag);
    ASSERT_TRUE(claimed.has_value());
    EXPECT_EQ(claimed->what().tag, 3);
    EXPECT_FALSE(m::probe(world, 1, 3).has_value());
    bytes into(40);
    EXPECT_EQ(m::receive(std::move(*claimed), into).wait().bytes, 40U);
    EXPECT_TRUE(into == bytes_of(40, 1));
    // Claimed and dropped: its sender is told all the same.
    EXPECT_TRUE(m::claim(world, 1, 4).has_value());
  }
}

JOB_TEST(messages, tell_their_ends) {
  const team world = here.world();
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  for (const m::mode how : {m::mode::standard, m::mode::synchronous}) {
    for (const std::size_t size : sizes) {
      completion_counter over;
      bytes into(size);
      const bytes mine = bytes_of(size, here.rank());
      m::receiving coming = m::receive(world, before, 5, into);
      const bool later = coming.tell(notice::to(over));
      const bool waits = m::send(world, next, 5, mine, how, notice::to(over));
      if (how == m::mode::synchronous && here.size() > 1) {
        EXPECT_TRUE(waits) << "the receiver has not answered";
      }
      over.wait(here);
      EXPECT_TRUE(!later || coming.test());
      EXPECT_EQ(coming.wait().bytes, size);
      EXPECT_FALSE(coming.tell(notice::to(over)));
      ASSERT_TRUE(into == bytes_of(size, before)) << size;
    }
  }
  // One that is taken back is told, too; outside of the call that takes it back.
  int told = 0;
  bytes into(4);
  m::receiving coming = m::receive(world, before, 6, into);
  ASSERT_TRUE(coming.tell(notice::call([](void* count) { ++*static_cast<int*>(count); }, &told)));
  EXPECT_TRUE(coming.cancel());
  EXPECT_EQ(told, 0);
  here.progress();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(coming.wait().cancelled);
  control::barrier(world);
}

JOB_TEST(messages, give_their_ends_without_exceptions) {
  const team world = here.world();
  const int next = (here.rank() + 1) % here.size();
  const int before = (here.rank() + here.size() - 1) % here.size();
  for (const std::size_t size : sizes) {
    for (const bool fits : {true, false}) {
      if (!fits && size == 0) continue;
      bytes looked_at(fits ? size : size - 1);
      bytes awaited(looked_at.size());
      const bytes mine = bytes_of(size, here.rank());
      m::receiving looks = m::receive(world, before, 5, looked_at);
      m::receiving waits = m::receive(world, m::any_source, m::any_tag, awaited);
      m::receipt got;
      bool fitted = !fits;
      EXPECT_FALSE(looks.take_end(got, fitted));
      EXPECT_EQ(got.bytes, 0U);
      EXPECT_EQ(fitted, !fits);
      control::barrier(world);
      request first = m::send(world, next, 5, mine);
      request second = m::send(world, next, 6, mine);
      while (!looks.take_end(got, fitted)) here.progress();
      ASSERT_EQ(got.source, before);
      ASSERT_EQ(got.tag, 5);
      ASSERT_EQ(got.bytes, size);
      ASSERT_EQ(fitted, fits);
      waits.await_end(got, fitted);
      ASSERT_EQ(got.tag, 6);
      ASSERT_EQ(got.bytes, size);
      ASSERT_EQ(fitted, fits);
      first.wait();
      second.wait();
      if (fits) {
        ASSERT_TRUE(looked_at == bytes_of(size, before) && awaited == looked_at) << size;
      }
      // Both are empty.
      EXPECT_TRUE(looks.take_end(got, fitted));
      EXPECT_EQ(got.source, m::any_source);
      EXPECT_TRUE(fitted && waits.is_complete());
      control::barrier(world);
    }
  }
}

JOB_TEST(messages, pass_receives_that_were_cancelled, .least_ranks = 2) {
  const team world = here.world();
  bytes a(8), b(8);
  m::receiving first, second;
  if (here.rank() == 0) {
    first = m::receive(world, 1, 9, a);
    second = m::receive(world, 1, 9, b);
    EXPECT_TRUE(first.cancel());
    EXPECT_TRUE(first.wait().cancelled);
    EXPECT_FALSE(first.cancel());
  }
  control::barrier(world);
  if (here.rank() == 1) m::send(world, 0, 9, bytes_of(8, 1)).wait();
  if (here.rank() == 0) {
    EXPECT_FALSE(second.wait().cancelled);
    EXPECT_TRUE(b == bytes_of(8, 1));
    EXPECT_FALSE(second.cancel());
  }
}

JOB_TEST(messages, taken_back_tell_nothing_of_receives_before_them, .least_ranks = 2) {
  const team world = here.world();
  bytes into(4);
  if (here.rank() == 1) m::send(world, 0, 3, bytes_of(8, 1)).wait();
  if (here.rank() == 0) {
    {
      m::receiving too_short = m::receive(world, 1, 3, into);
      EXPECT_THROW(too_short.wait(), error);
    }
    m::receiving next = m::receive(world, 1, 4, into);  // where the other was
    EXPECT_TRUE(next.cancel());
    const m::receipt told = next.wait();
    EXPECT_TRUE(told.cancelled);
    EXPECT_EQ(told.bytes, 0U);
    EXPECT_EQ(told.source, m::any_source);
  }
  control::barrier(world);
}

JOB_TEST(messages, longer_than_the_buffer_are_errors_that_name_both_sizes, .least_ranks = 2) {
  const team world = here.world();
  for (const std::size_t size : {std::size_t{20}, std::size_t{40'000}}) {
    if (here.rank() == 1) m::send(world, 0, 2, bytes_of(size, 1), m::mode::synchronous).wait();
    if (here.rank() == 0) {
      bytes into(10, std::byte{7});
      m::receiving coming = m::receive(world, 1, 2, into);
      try {
        coming.wait();
        ADD_FAILURE() << "no error";
      } catch (const error& e) {
        EXPECT_EQ(std::string(e.what()),
                  "receive of tag 2 from member 1: the message has " + std::to_string(size) +
                      " bytes, the buffer 10; receive with at least as much room as is sent");
      }
      EXPECT_TRUE(into == bytes(10, std::byte{7}));
    }
  }
}

JOB_TEST(messages, with_wrong_arguments_are_refused) {
  const team world = here.world();
  bytes data(8);
  EXPECT_THROW((void)m::send(world, here.size(), 0, data), error);
  EXPECT_THROW((void)m::send(world, -1, 0, data), error);
  EXPECT_THROW((void)m::send(world, 0, -1, data), error);
  EXPECT_THROW((void)m::receive(world, here.size(), 0, data), error);
  EXPECT_THROW((void)m::receive(world, -2, 0, data), error);
  EXPECT_THROW((void)m::receive(world, 0, -2, data), error);
  m::receiving posted = m::receive(world, 0, 77, data);
  EXPECT_THROW(m::install(here, {}), error);
  EXPECT_TRUE(posted.cancel());
}

JOB_TEST(messages, that_nobody_receives_fill_bounded_memory, .least_ranks = 2, .alone = true) {
  const team world = here.world();
  constexpr int count = 400;
  std::vector<request> going;
  std::vector<bytes> kept;
  m::install(here, {.unexpected_bytes = static_cast<std::size_t>(here.size()) * 4096});
  control::barrier(world);
  if (here.rank() == 1) {
    for (int i = 0; i < count; ++i) {
      kept.push_back(bytes_of(100, i));
      going.push_back(m::send(world, 0, i, kept.back()));
    }
    while (m::memory_of(here).queued != 0) here.progress();
    const auto eager =
        std::count_if(going.begin(), going.end(), [](const request& each) { return each.done(); });
    EXPECT_LE(eager, 4096 / 100);
    EXPECT_GE(eager, 4);
  }
  control::barrier(world);
  if (here.rank() == 0) {
    bytes into(100);
    for (int i = count - 1; i >= 0; --i) {  // the latest first: nothing was lost, nothing hangs
      m::receive(world, 1, i, into).wait();
      ASSERT_TRUE(into == bytes_of(100, i)) << i;
    }
  }
  wait_all(going);
  // Room came back, ahead of this message: the next is sent at once.
  if (here.rank() == 0) m::send(world, 1, 0, {}).wait();
  if (here.rank() == 1) m::receive(world, 0, 0, {}).wait();
  if (here.rank() == 1) {
    const bytes last = bytes_of(8, 0);
    request sent = m::send(world, 0, 0, last);
    while (m::memory_of(here).queued != 0) here.progress();
    EXPECT_TRUE(sent.done());
  }
  control::barrier(world);
  bytes into(8);
  if (here.rank() == 0) m::receive(world, 1, 0, into).wait();
}

JOB_TEST(messages, that_are_persistent_repeat) {
  const team world = here.world();
  bytes mine = bytes_of(64, here.rank());
  bytes into(64);
  const m::persistent_send out(world, here.rank(), 1, mine);
  const m::persistent_receive in(world, m::any_source, 1, into);
  for (int round = 0; round < 20; ++round) {
    m::receiving coming = in.start();
    mine[0] = static_cast<std::byte>(round);
    out.start().wait();
    coming.wait();
    ASSERT_EQ(into[0], static_cast<std::byte>(round));
  }
  EXPECT_THROW(m::persistent_send(world, here.size(), 1, mine), error);
  EXPECT_THROW(m::persistent_send(world, 0, m::any_tag, mine), error);
  EXPECT_THROW(m::persistent_receive(world, here.size(), 1, into), error);
  EXPECT_THROW(m::persistent_receive(world, 0, -2, into), error);
  EXPECT_THROW(m::persistent_receive(team(), 0, 1, into), error);
}

JOB_TEST(messages, are_sent_while_their_receiver_does_nothing, .least_ranks = 2, .most_ranks = 4) {
  const team world = here.world();
  constexpr int count = 3000;  // many times what a conduit has credit for
  control::barrier(world);
  if (here.rank() == 0) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 0);
    std::vector<request> going;
    for (int i = 0; i < count; ++i) {
      const auto mine = std::as_bytes(std::span(values).subspan(static_cast<std::size_t>(i), 1));
      going.push_back(m::send(world, 1, i % 7, mine));
    }
    // A rank of another process may have taken them meanwhile.
    const bool alone = host(here).endpoint().describe().virtual_time;
    if (alone) {
      EXPECT_GT(m::memory_of(here).queued, 0U);
    }
    wait_all(going);
    EXPECT_EQ(m::memory_of(here).queued, 0U);
  } else if (here.rank() == 1) {
    here.compute(duration::from_us(100'000));
    for (int tag = 6; tag >= 0; --tag) {
      for (int i = tag; i < count; i += 7) {
        int value = -1;
        m::receive(world, 0, tag, std::as_writable_bytes(std::span(&value, 1))).wait();
        ASSERT_EQ(value, i);
      }
    }
  }
  control::barrier(world);
}

JOB_TEST(messages, of_a_released_team_are_dropped_and_return_their_room, .least_ranks = 2,
         .most_ranks = 4, .alone = true) {
  const team world = here.world();
  const auto ranks = static_cast<std::size_t>(here.size());
  m::install(here, {.unexpected_bytes = ranks * 4096, .unexpected_envelopes = ranks * 64});
  const int peer = (here.rank() + 1) % here.size();
  for (int i = 0; i < 100; ++i) {  // each with much of the room
    team mine = world.duplicate();
    const bytes lost = bytes_of(1000, i);
    request going = m::send(mine, peer, 1, lost);
    (void)m::wait_for_message(mine, m::any_source, 1);
    mine.release();
    going.wait();
  }
  control::barrier(world);
  EXPECT_EQ(m::memory_of(here).kept, 0U);
  EXPECT_LE(m::memory_of(here).most_kept_bytes, ranks * 1000);
}

JOB_TEST(messages, need_a_team) {
  const team none = here.world().split(-1, 0);
  int value = 0;
  const auto at = std::as_writable_bytes(std::span(&value, 1));
  EXPECT_THROW((void)m::send(none, 0, 0, at), error);
  EXPECT_THROW((void)m::receive(none, 0, 0, at), error);
  EXPECT_THROW((void)m::probe(none, 0, 0), error);
}
