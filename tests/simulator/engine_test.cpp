// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/simulator/network.hpp"

namespace {

using namespace upwash;
using namespace upwash::simulator;

struct log_entry {
  std::vector<std::uint64_t>* into;
  static void run(void* subject, std::uint64_t argument) {
    static_cast<log_entry*>(subject)->into->push_back(argument);
  }
};

TEST(engine, events_run_by_time_destination_source_and_number_not_by_insertion) {
  // (time, destination, source) of each event, and its place in the order expected.
  const std::vector<std::tuple<int, int, int, std::uint64_t>> events = {
      {5, 1, 1, 4}, {5, 0, 3, 2}, {5, 0, 3, 3}, {9, 0, 0, 6},
      {1, 3, 3, 0}, {5, 0, 2, 1}, {5, 1, 2, 5},
  };
  std::vector<std::size_t> order(events.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    // Two events of one source and destination at one time go by the source's numbers: by
    // insertion.
    if (std::find(order.begin(), order.end(), 1U) > std::find(order.begin(), order.end(), 2U)) {
      continue;
    }
    engine e(4);
    std::vector<std::uint64_t> ran;
    log_entry log{&ran};
    for (const std::size_t i : order) {
      const auto& [time, destination, source, place] = events[i];
      e.schedule(duration::from_ns(time), destination, source, {&log_entry::run, &log, place});
    }
    while (e.step()) {
    }
    ASSERT_EQ(ran, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
    ASSERT_EQ(e.now(), duration::from_ns(9));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(engine, many_events_come_out_sorted) {
  engine e(100);
  std::vector<std::uint64_t> ran;
  log_entry log{&ran};
  random_stream numbers(1, 2);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t at = numbers.below(5000);
    e.schedule(duration::from_ps(std::int64_t(at)), int(numbers.below(100)), int(i % 100),
               {&log_entry::run, &log, at});
  }
  EXPECT_FALSE(e.empty());
  while (e.step()) {
  }
  EXPECT_EQ(ran.size(), 20'000U);
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_EQ(e.events_run(), 20'000U);
  EXPECT_EQ(e.next_time(), duration::max());
}

/// A ring without conduit and fibers: each rank passes on what it gets, as a replayer would.
struct ring {
  ring(int ranks, int in_flight)
      : events(ranks),
        network(uniform_machine(duration::from_us(1), duration::from_ns(300),
                                duration::from_ns(100), 0.1),
                ranks),
        size(ranks) {
    for (int i = 0; i < in_flight; ++i) pass_on(i % ranks, duration());
  }

  void pass_on(int rank, duration ready) {
    const int to = (rank + 1) % size;
    const duration head = network.depart(0, rank, ready, network.cost(0, 8));
    events.schedule(head, to, rank, {&ring::came, this, std::uint64_t(to)});
  }
  static void came(void* self, std::uint64_t rank) {
    ring& r = *static_cast<ring*>(self);
    const model::message_cost& cost = r.network.cost(0, 8);
    const duration in = r.network.arrive(0, int(rank), r.events.now(), cost);
    ++r.messages;
    r.pass_on(int(rank), in + cost.receive_overhead + cost.send_overhead);
  }

  engine events;
  message_network network;
  int size;
  std::uint64_t messages = 0;
};

/// How fast depends on the machine, and on what else runs there: `upwash bench` tells.
TEST(engine, takes_one_step_a_message) {
  ring r(1024, 2048);
  std::uint64_t steps = 0;
  for (; r.messages < 100'000; ++steps) r.events.step();
  EXPECT_EQ(steps, r.messages);
  EXPECT_GT(r.events.now(), duration{});
}

TEST(engine, digest_tells_runs_apart) {
  ring a(16, 16);
  ring b(16, 16);
  ring c(16, 17);
  for (int i = 0; i < 1000; ++i) {
    a.events.step();
    b.events.step();
    c.events.step();
  }
  EXPECT_EQ(a.events.digest(), b.events.digest());
  EXPECT_NE(a.events.digest(), c.events.digest());
}

TEST(message_network, shared_budget_makes_directions_wait_for_each_other) {
  machine on = uniform_machine({}, {}, {}, 0);
  on.levels[0].loggp.reset();
  on.levels[0].alpha_beta =
      alpha_beta_cost{alpha_beta_cost::rule::by_size, {{0, duration::from_us(10), 0}}};
  for (const bool shared : {false, true}) {
    on.nic.traffic = shared ? nic_protocol::budget::shared : nic_protocol::budget::separate;
    message_network network(on, 2);
    const model::message_cost cost = network.cost(0, 100);
    duration in;
    for (int i = 0; i < 10; ++i) {
      (void)network.depart(0, 0, duration(), cost);
      in = network.arrive(0, 0, duration(), cost);
    }
    // Ten each way take 10 x 10 us in both cases; shared, ten one way would take half.
    EXPECT_NEAR((in + cost.busy - cost.transfer).us(), 100, 1e-6);
    EXPECT_NEAR(cost.busy.us(), shared ? 5 : 10, 1e-6);
  }
}

}  // namespace
