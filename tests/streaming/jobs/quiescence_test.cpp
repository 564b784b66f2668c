// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Quiescence on every conduit: never early (after the end no handler runs any more, and as much was
// handled as was created), never missed (the test ends), whatever handlers create.
#include "upwash/streaming/quiescence.hpp"

#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/streaming/stream.hpp"

namespace {

using namespace upwash;

/// A piece of work that begets others: what and where is drawn from its seed.
struct seedling {
  std::uint64_t seed;
  int life;
};

/// How a test's work reaches others, and what the oracle counts.
struct field final : service_base {
  explicit field(job& /*here*/) {}
  quiescence* through = nullptr;
  streaming::engine* items = nullptr;
  std::deque<seedling> tasks;  ///< done outside handlers
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
};

void grow_from_message(incoming& in, seedling one);

/// Sends one on its way: as a message, an item or, at home, as a task.
void plant(job& here, const seedling& one) {
  auto& all = here.service<field>();
  ++all.begun;
  random_stream random(one.seed, 1);
  const auto size = static_cast<std::uint64_t>(here.size());
  const int to = static_cast<int>(random.below(size));
  const std::uint64_t way = random.below(3);
  if (all.items != nullptr && way != 0) {
    all.items->push(to, std::as_bytes(std::span(&one, 1)));
  } else if (all.items != nullptr && random.below(2) == 0) {
    all.through->created();
    all.tasks.push_back(one);
  } else {
    all.through->send<&grow_from_message>(to, one);
  }
}

void grow(job& here, const seedling& one) {
  ++here.service<field>().ended;
  random_stream random(one.seed, 2);
  for (std::uint64_t left = one.life > 0 ? random.below(4) : 0; left > 0; --left) {
    plant(here, {random.next(), one.life - 1});
  }
}

void grow_from_message(incoming& in, seedling one) { grow(in.here(), one); }

/// Runs right after the end: what is counted by then must be all.
void expect_quiet(job& here) {
  auto& all = here.service<field>();
  const std::uint64_t at_end = all.ended;
  std::array<std::uint64_t, 2> sums{all.begun, all.ended};
  control::all_reduce(here.world(), sums, control::fold::sum);
  for (int i = 0; i < 10; ++i) here.progress();
  EXPECT_EQ(all.ended, at_end);
  EXPECT_EQ(sums[0], sums[1]);
  control::barrier(here.world());
}

void plant_some(job& here, std::uint64_t epoch) {
  random_stream random(epoch, static_cast<std::uint64_t>(here.rank()));
  for (std::uint64_t left = random.below(5); left > 0; --left) plant(here, {random.next(), 5});
}

std::string refusal(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const error& refused) {
    return refused.what();
  }
  return "no error";
}

}  // namespace

JOB_TEST(quiescence, waits_for_messages_that_beget_messages) {
  quiescence quiet(here.world());
  here.service<field>().through = &quiet;
  control::barrier(here.world());  // handlers find it everywhere
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    plant_some(here, epoch);
    quiet.wait();
    expect_quiet(here);
  }
}

JOB_TEST(quiescence, mixes_streams_messages_and_tasks, .most_ranks = 17, .alone = true) {
  quiescence quiet(here.world());
  auto items = open_stream<seedling>(
      here.world(), [&](const seedling& one) { grow(here, one); },
      {.dimensions = 2, .buffer_bytes = 100, .flush_when_idle = here.size() % 2 == 0});
  auto& all = here.service<field>();
  all.through = &quiet;
  all.items = &items.engine();
  control::barrier(here.world());
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    plant_some(here, epoch);
    bool over = false;
    quiet.notify([&] { over = true; });
    while (!over) {
      here.progress();
      while (!all.tasks.empty()) {
        const seedling one = all.tasks.front();
        all.tasks.pop_front();
        grow(here, one);
        quiet.handled();
      }
    }
    expect_quiet(here);
  }
}

JOB_TEST(quiescence, callbacks_begin_epochs, .alone = true) {
  quiescence quiet(here.world());
  auto& all = here.service<field>();
  all.through = &quiet;
  control::barrier(here.world());
  int epochs = 0;
  std::function<void()> next = [&] {
    if (++epochs == 5) return;
    plant_some(here, static_cast<std::uint64_t>(epochs));
    quiet.notify(next);
  };
  quiet.notify(next);
  while (epochs < 5) here.progress();
  expect_quiet(here);
}

JOB_TEST(quiescence, of_teams_at_the_same_time, .alone = true) {
  const team world = here.world();
  team half = world.split(here.rank() % 2, -here.rank());
  {
    quiescence of_all(world);
    quiescence of_half(half);
    auto items = open_stream<int>(half, [&](const int& hops) {
      if (hops > 0) of_all.created();
      if (hops > 0) of_all.handled();
    });
    of_all.attach(items);
    auto& all = here.service<field>();
    all.through = &of_all;
    control::barrier(world);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      plant_some(here, epoch);
      for (int to = 0; to < half.size(); ++to) items.push(to, to);
      bool all_over = false;
      bool half_over = false;
      if (here.rank() % 3 == 0) {
        of_all.notify([&] { all_over = true; });
        of_half.wait();
        half_over = true;
        while (!all_over) here.progress();
      } else {
        of_half.notify([&] { half_over = true; });
        of_all.wait();
        EXPECT_EQ(items.statistics().delivered, (epoch + 1) * static_cast<unsigned>(half.size()));
        while (!half_over) here.progress();
      }
      expect_quiet(here);
    }
    of_all.detach(items);
    items.close();
    of_all.wait();
  }
  half.release();
}

JOB_TEST(quiescence, counts_streams_that_are_gone) {
  quiescence quiet(here.world());
  for (int round = 0; round < 3; ++round) {
    {
      auto items = open_stream<int>(here.world(), [](const int&) {});
      for (int to = 0; to < here.size(); ++to) items.push(to, round);
    }
    if (round == here.rank() % 3) here.compute(duration::from_us(100));
    quiet.wait();
  }
}

/// One that is made and destroyed while an exception, of before it was made, unwinds the stack.
JOB_TEST(quiescence, waits_for_its_end_in_destructors_that_exceptions_run) {
  bool over = false;
  struct last_words {
    job& here;
    bool& over;
    ~last_words() {
      quiescence quiet(here.world());
      quiet.notify([this] { over = true; });
    }
  };
  try {
    const last_words said{here, over};
    throw here.rank();
  } catch (int) {
    EXPECT_TRUE(over);
  }
  control::barrier(here.world());
}

JOB_TEST(quiescence, waits_for_who_is_busy, .on_shm = false) {
  quiescence quiet(here.world());
  const bool busy = here.rank() == here.size() / 2;
  bool over = false;
  if (busy) quiet.created();
  quiet.notify([&] { over = true; });
  for (int step = 0; busy && step < 200; ++step) {
    here.compute(duration::from_us(1));
    here.progress();
    EXPECT_FALSE(over);
  }
  if (busy) quiet.handled();
  while (!over) here.progress();
}

JOB_TEST(quiescence, sends_few_messages) {
  quiescence quiet(here.world());
  const auto size = static_cast<unsigned>(here.size());
  for (int epoch = 0; epoch < 3; ++epoch) {
    control::barrier_by_messages(here.world());
    const std::uint64_t before = here.counters().messages_sent;
    quiet.wait();
    // Two waves, since nothing was to do.
    EXPECT_LE(here.counters().messages_sent - before, 2 * (1 + std::bit_width(size - 1)));
  }
}

namespace {

std::string* refused_in_handler = nullptr;  // of the one rank that looks

void wait_in_handler(incoming& in, bool notify) {
  auto& through = *in.here().service<field>().through;
  *refused_in_handler = refusal([&] {
    if (notify) {
      through.notify([] {});
    } else {
      through.wait();
    }
  });
}

}  // namespace

JOB_TEST(quiescence, must_end_before_its_team_is_released, .most_ranks = 4) {
  team pair = here.world().duplicate();
  quiescence quiet(pair);
  bool over = false;
  quiet.notify([&] { over = true; });
  try {
    pair.release();
    ADD_FAILURE();
  } catch (const error& failure) {
    EXPECT_NE(std::string(failure.what())
                  .find("cannot be released: epoch 1 of quiescence 1 on it "
                        "is under way"),
              std::string::npos)
        << failure.what();
  }
  while (!over) here.progress();
  pair.release();
}

JOB_TEST(quiescence, says_what_is_wrong, .most_ranks = 4) {
  quiescence quiet(here.world());
  here.service<field>().through = &quiet;
  const auto expect = [](const std::string& said, const char* what) {
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  if (here.rank() == 0) {
    std::string said;
    for (const bool notify : {false, true}) {
      said.clear();
      refused_in_handler = &said;
      quiet.send<&wait_in_handler>(0, notify);
      while (said.empty()) here.progress();
      expect(said, notify ? "notify inside a handler" : "wait inside a handler");
    }
  }
  bool over = false;
  quiet.notify([&] {
    expect(refusal([&] { quiet.wait(); }), "wait inside a callback");
    over = true;
  });
  expect(refusal([&] { quiet.wait(); }), "an epoch begins while one is under way");
  while (!over) here.progress();
  team alone = here.world().split(here.rank(), 0);
  {
    auto items = open_stream<int>(here.world(), [](const int&) {});
    quiescence mine(alone);
    expect(refusal([&] { mine.detach(items); }), "is not attached");
    if (here.size() > 1) expect(refusal([&] { mine.attach(items); }), "which is no member here");
    mine.wait();
    expect(refusal([&] { quiet.send<&wait_in_handler>(here.size(), true); }), "member");
    quiet.wait();
  }
  alone.release();
}
