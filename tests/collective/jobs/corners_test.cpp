// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the life of an operation is not straight: answers that come late, steps that throw, starts
// that wait for credit, teams released behind it, places used again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/detail/run/compact.hpp"
#include "upwash/collective/executor.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/reduction.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/reach.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::piece;
using schedule::script;
using schedule::send_step;
using schedule::steps;

constexpr std::uint64_t summed_words = 20;

/// Adds a peer's words one by one to its own, while the oldest step waits for a slow message.
steps sum_piecewise(script& out, int ranks, int rank) {
  co_yield out.receive((rank + ranks - 1) % ranks, 0, {});
  for (std::uint64_t offset = 0; offset < 8 * summed_words; offset += 8) {
    const piece sum{buffer::output, offset, 8};
    co_yield out.reduce({buffer::input, offset, 8, (rank + 1) % ranks}, sum, sum);
  }
  const mark last = out.latest();
  co_yield out.send((rank + 1) % ranks, 0, {}).after(last, last - 1, last - 2);
}

generator piecewise_sum(int ranks, int rank) {
  return {{.window = 31}, [=](script& out) { return sum_piecewise(out, ranks, rank); }};
}

steps pass_network_barrier(script& out) { co_yield out.net_barrier(); }

/// What no conduit can do; with a counter, so that it has an epoch.
generator network_barrier() {
  return {{.counters = 1}, [](script& out) { return pass_network_barrier(out); }};
}

steps signal_itself(script& out) {
  co_yield out.signal(2);
  co_yield out.await(2, 1);
}

/// More counters than the team's board has.
generator three_counters() {
  return {{.window = 1, .counters = 3}, [](script& out) { return signal_itself(out); }};
}

steps send_to_itself(script& out, int rank, std::uint64_t bytes, bool acknowledged) {
  const send_step step = out.send(rank, 0, {buffer::input, 0, bytes});
  const send_step going = acknowledged ? step.acknowledged() : step;
  co_yield going;
  co_yield out.receive(rank, 0, {buffer::output, 0, bytes});
}

/// A rank to itself: as the bytes say, and acknowledged or not.
generator to_itself(int rank, std::uint64_t bytes, bool acknowledged) {
  return {{.window = 2},
          [=](script& out) { return send_to_itself(out, rank, bytes, acknowledged); }};
}

steps reduce_once(script& out, std::array<int, 3> owners) {
  co_yield out.reduce({buffer::input, 0, 8, owners[0]}, {buffer::input, 0, 8, owners[1]},
                      {buffer::output, 0, 8, owners[2]});
}

/// One reduction, with pieces of these owners: left, right, into.
generator one_reduction(std::array<int, 3> owners) {
  return {{}, [=](script& out) { return reduce_once(out, owners); }};
}

}  // namespace

JOB_TEST(corners, late_answers_change_nothing, .least_ranks = 2) {
  constexpr auto words = static_cast<std::size_t>(summed_words);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const std::vector<std::uint64_t> mine(words, static_cast<std::uint64_t>(here.rank()) + 1);
    std::vector<std::uint64_t> sum(words, 1000);
    execute(here.world(), piecewise_sum(here.size(), here.rank()),
            {std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(sum)),
             reduction_of<std::uint64_t, upwash::sum>()},
            {.exit = sync_mode::all})
        .wait();
    const auto peer = static_cast<std::uint64_t>((here.rank() + 1) % here.size());
    for (const std::uint64_t each : sum) ASSERT_EQ(each, 1000 + peer + 1);
  }
}

JOB_TEST(corners, what_was_refused_holds_nobody_up, .on_packets = false) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_THROW(execute(here.world(), network_barrier(), {}).wait(), error);
    persistent kept = prepare(here.world(), network_barrier(), {});
    EXPECT_THROW(static_cast<void>(kept.start()), error);
    for (int i = 0; i < 40; ++i) barrier(here.world()).wait();  // more than the board has epochs
    for (int i = 0; i < 40; ++i) barrier(here.world(), blocking);
  }
}

JOB_TEST(corners, persistent_ones_are_replaced_while_they_run) {
  std::vector<std::uint64_t> data(3000);
  for (std::uint64_t repeat = 1; repeat <= 5; ++repeat) {
    std::fill(data.begin(), data.end(), here.rank() == 0 ? repeat : 0);
    auto kept = broadcast(here.world(), persist, 0, std::span(data), {.exit = sync_mode::none});
    request first = kept.start();
    kept = barrier(here.world(), persist);
    for (const std::uint64_t each : data) ASSERT_EQ(each, repeat);
    kept.start().wait();
  }
}

JOB_TEST(corners, persistent_ones_with_none_on_exit_start_again) {
  std::vector<std::uint64_t> data(3000);
  if (here.rank() == 0) std::fill(data.begin(), data.end(), 5);
  auto kept = broadcast(here.world(), persist, 0, std::span(data), {.exit = sync_mode::none});
  for (int repeat = 0; repeat < 10; ++repeat) kept.start().wait();
  barrier(here.world()).wait();
  for (const std::uint64_t each : data) ASSERT_EQ(each, 5U);
}

JOB_TEST(corners, none_on_exit_ends_with_what_is_started_behind_it) {
  auto kept = barrier(here.world(), persist);  // its number is the lower one
  std::vector<std::uint64_t> data(3000);
  for (std::uint64_t repeat = 1; repeat <= 5; ++repeat) {
    std::fill(data.begin(), data.end(), here.rank() == 0 ? repeat : 0);
    request early = broadcast(here.world(), 0, std::span(data), {.exit = sync_mode::none});
    kept.start().wait();
    for (const std::uint64_t each : data) ASSERT_EQ(each, repeat);
    early.wait();
    kept.start().wait();
    std::fill(data.begin(), data.end(), here.rank() == 0 ? repeat + 100 : 0);
    early = broadcast(here.world(), 0, std::span(data), {.exit = sync_mode::none});
    barrier(here.world(), blocking);
    for (const std::uint64_t each : data) ASSERT_EQ(each, repeat + 100);
    early.wait();
    barrier(here.world(), blocking);
  }
}

JOB_TEST(corners, a_team_is_released_behind_none_on_exit) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    team among = here.world().duplicate();
    std::array<std::uint64_t, 20> data{};
    const int root = repeat % here.size();
    if (here.rank() == root) data.fill(7);
    for (int i = 0; i < 3; ++i) {
      broadcast(among, root, std::span<std::uint64_t>(data), {.exit = sync_mode::none}).wait();
    }
    among.release();
    for (const std::uint64_t each : data) ASSERT_EQ(each, 7U);
  }
}

JOB_TEST(corners, counters_begin_at_zero_whoever_settles) {
  region area = allocate(here.world(), 8);
  std::uint64_t arrived = 0;
  const bool shared = all_direct(here.world());
  for (int epoch = 0; epoch < 70; ++epoch) {
    if (epoch % 16 == 0) {  // the one that settles
      execute(here.world(), three_counters(), {}).wait();
      continue;
    }
    if (here.rank() == epoch % here.size()) {
      for (int i = 0; i < 20; ++i) here.progress();  // late
    }
    fetch_add(here, area.at<std::uint64_t>(0), 1);
    arrived += static_cast<std::uint64_t>(here.size());
    if (shared) {
      barrier(here.world(), {.algorithm = "central"}).wait();
    } else {
      barrier(here.world()).wait();
    }
    ASSERT_GE(atomic_load(here, area.at<std::uint64_t>(0)), arrived) << epoch;
  }
  free(area);
}

JOB_TEST(corners, a_plan_in_use_is_kept, .least_ranks = 2, .on_sim = false, .on_loopback = false) {
  struct opened {
    team among;
    std::array<std::array<std::byte, 64>, 50> data{};
    std::vector<request> all;
    static void start_many(void* context) {
      auto& self = *static_cast<opened*>(context);
      for (std::size_t i = 0; i < self.data.size(); ++i) {
        self.all.push_back(broadcast(self.among, 0, std::span<std::byte>(self.data[i]).first(i)));
      }
    }
  };
  region area = allocate(here.world(), 8);
  const std::uint64_t one = 1;
  for (int repeat = 0; repeat < 4; ++repeat) {
    opened many{here.world(), {}, {}};
    // Runs while the all-reduce waits, or behind it where that found everything there.
    put(here, area.at<std::uint64_t>(here.rank()), std::span(&one, 1),
        {.local = {}, .remote = notice::call(&opened::start_many, &many)});
    if (here.rank() == repeat % here.size()) {
      std::atomic<int> spent = 0;  // no progress meanwhile: the callback would run
      while (spent.fetch_add(1, std::memory_order_relaxed) < 1'000'000) continue;
    }
    std::uint64_t sum_of_ones = 0;
    all_reduce<sum>(here.world(), blocking, std::span(&one, 1), std::span(&sum_of_ones, 1));
    ASSERT_EQ(sum_of_ones, static_cast<std::uint64_t>(here.size()));
    while (many.all.size() != many.data.size()) here.progress();
    wait_all(many.all);
  }
  free(area);
}

JOB_TEST(corners, edges_to_oneself) {
  std::vector<std::byte> from(5000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{400}, from.size()}) {
    for (const bool acknowledged : {false, true}) {
      for (const auto how : {mechanism::eager, mechanism::rendezvous}) {
        std::vector<std::byte> to(bytes);
        execute(here.world(), to_itself(here.rank(), bytes, acknowledged),
                {.input = from, .output = to}, {.rules = {.forced = how}})
            .wait();
        ASSERT_TRUE(std::equal(to.begin(), to.end(), from.begin())) << bytes;
      }
    }
  }
}

JOB_TEST(corners, nothing_travels_by_every_mechanism) {
  for (const auto addresses : {address_mode::local, address_mode::single}) {
    for (const auto how : {mechanism::eager, mechanism::signalling_put, mechanism::rendezvous,
                           mechanism::single_copy}) {
      std::span<std::uint64_t> none;
      broadcast(here.world(), 0, none, {.addresses = addresses, .transfer = how, .eager_bytes = 0})
          .wait();
      all_reduce<sum>(here.world(), std::span<const std::uint64_t>(none), none,
                      {.addresses = addresses, .transfer = how, .eager_bytes = 0})
          .wait();
    }
  }
}

JOB_TEST(corners, reductions_of_two_peers_are_refused, .least_ranks = 2) {
  const int peer = (here.rank() + 1) % here.size();
  const std::uint64_t mine = 1;
  std::uint64_t result = 0;
  for (const auto& owners : {std::array<int, 3>{peer, peer, schedule::own},
                             std::array<int, 3>{schedule::own, schedule::own, peer}}) {
    EXPECT_THROW(
        execute(here.world(), one_reduction(owners),
                {std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&result, 1)),
                 reduction_of<std::uint64_t, upwash::sum>()})
            .wait(),
        error);
  }
}

steps send_word(script& out, int peer) { co_yield out.send(peer, 0, {buffer::input, 0, 8}); }

steps copy_two_words(script& out) {
  co_yield out.copy({buffer::input, 0, 16}, {buffer::output, 0, 16});
}

steps receive_a_length(script& out) {
  co_yield out.receive(0, 0, {buffer::output, 0, 8}).with_length(3);
}

JOB_TEST(corners, steps_that_name_no_member_are_refused) {
  const std::uint64_t mine = 1;
  for (const int peer : {-1, here.size(), INT_MAX, INT_MIN}) {
    const generator stray({.window = 1}, [peer](script& out) { return send_word(out, peer); });
    std::string said = "no error";
    try {
      execute(here.world(), stray, {.input = std::as_bytes(std::span(&mine, 1))}).wait();
    } catch (const error& refused) {
      said = refused.what();
    }
    EXPECT_NE(
        said.find(fmt::format("step 0 (send, round 0) names rank {} of {}", peer, here.size())),
        std::string::npos)
        << said;
  }
  barrier(here.world(), blocking);
}

// It is left to the executor's window, which refuses it.
TEST(corners, no_plan_on_the_board_names_a_stranger) {
  constexpr int ranks = 2;
  for (const int peer : {-1, 0, 1, 2, 1 << 30, -(1 << 30)}) {
    const generator one({.window = 1, .edges_apart = true},
                        [peer](script& out) { return send_word(out, peer); });
    EXPECT_EQ(upwash::collective::detail::fits_board(one, ranks, 0, 0), peer == 0 || peer == 1)
        << peer;
  }
}

TEST(corners, steps_that_leave_their_buffers_are_refused_in_checked_runs) {
  const auto said_of = [](const auto& from) {
    const auto body = [&from](job& here) {
      const std::array<std::uint64_t, 1> mine{1};
      std::array<std::uint64_t, 2> result{};
      execute(here.world(), generator({.window = 1, .slots = 2}, from),
              {std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(result))})
          .wait();
    };
    return test::message_of(*test::loopback_of(2), body, {.checked = true});
  };
  std::string said = said_of([](script& out) { return copy_two_words(out); });
  EXPECT_NE(said.find("step 0 (copy, round 0) names 16 bytes at 0 of the input, which has 8"),
            std::string::npos)
      << said;
  said = said_of([](script& out) { return receive_a_length(out); });
  EXPECT_NE(said.find("step 0 (receive, round 0) names slot 3; there are 2"), std::string::npos)
      << said;
}

steps take_what_nobody_sends(script& out, int from) {
  co_yield out.copy({buffer::input, 0, 8}, {buffer::output, 0, 8});
  co_yield out.receive(from, 3, {buffer::output, 0, 8});
}

TEST(corners, hang_reports_say_what_a_step_waits_for) {
  const auto body = [](job& here) {
    if (here.rank() == 1) return;
    const team two = here.world().subset(std::array{2, 0});
    const std::uint64_t mine = 1;
    std::uint64_t result = 0;
    const int other = 1 - two.rank();
    const generator stuck({.window = 1},
                          [=](script& out) { return take_what_nobody_sends(out, other); });
    execute(two, stuck,
            {std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&result, 1))})
        .wait();
  };
  const std::array worlds{test::loopback_of(3), test::sim_of(3)};
  for (const auto& world : worlds) {
    const std::string said = test::message_of(*world, body);
    for (const auto& [rank, peer] : {std::pair(0, 2), {2, 0}}) {
      const std::string waits =
          fmt::format("waits in step 1 (receive, round 3), edge 3 of 8 bytes from rank {}\n", peer);
      const std::size_t line = said.find(fmt::format("pending at rank {}: ", rank));
      ASSERT_NE(line, std::string::npos) << said;
      EXPECT_NE(said.substr(line, said.find('\n', line) + 1 - line).find(waits), std::string::npos)
          << said;
    }
  }
}

void call_in_handler(incoming& in) {
  const team world = in.here().world();
  EXPECT_THROW(barrier(world, blocking), error);
  EXPECT_THROW(control::barrier(world), error);
  EXPECT_THROW(static_cast<void>(world.duplicate()), error);
  EXPECT_THROW(static_cast<void>(world.split(0, 0)), error);
  EXPECT_THROW(static_cast<void>(world.subset(std::array<int, 1>{world.rank()})), error);
  EXPECT_THROW(static_cast<void>(allocate(world, 8)), error);
}

// Nothing of it reaches the others: their next call is the first.
JOB_TEST(corners, blocking_calls_in_handlers_begin_nothing) {
  for (int round = 0; round < 3; ++round) {
    if (here.rank() == 0) send<&call_in_handler>(here, here.size() - 1);
    control::barrier(here.world());
    barrier(here.world(), blocking);
    here.world().duplicate().release();
  }
}

// A send is done only when its receiver has it, and windows are small.
JOB_TEST(corners, every_algorithm_when_all_edges_are_offered) {
  const auto members = static_cast<std::size_t>(here.size());
  constexpr std::size_t count = 200;
  registry all;
  add_algorithms(all);
  const auto for_each = [&](collective::kind what, const auto& run) {
    problem call{.of = what, .ranks = here.size(), .bytes = count * sizeof(std::uint64_t)};
    call.direct_access = all_direct(here.world());
    tell_nodes(here.world(), call);
    for (const algorithm* each : all.of(what)) {
      const selection with{each, model::initial_values(each->is)};
      if (!registry::objection(with, call).empty()) continue;
      run(collective_options{
          .algorithm = each->is.name, .transfer = mechanism::rendezvous, .eager_bytes = 0});
    }
  };
  const std::vector<std::uint64_t> mine(count * members, 1);
  std::vector<std::uint64_t> result(count * members);
  const std::span<const std::uint64_t> from(mine);
  const std::span<std::uint64_t> to(result);
  for_each(kind::barrier, [&](const auto& how) { barrier(here.world(), how).wait(); });
  for_each(kind::broadcast, [&](const auto& how) { broadcast(here.world(), 0, to, how).wait(); });
  for_each(kind::all_gather, [&](const auto& how) {
    all_gather(here.world(), from.first(count), to, how).wait();
    ASSERT_EQ(result, mine);
  });
  for_each(kind::all_to_all, [&](const auto& how) {
    all_to_all(here.world(), from, to, how).wait();
    ASSERT_EQ(result, mine);
  });
  for_each(kind::all_reduce, [&](const auto& how) {
    all_reduce<sum>(here.world(), from, to, how).wait();
    ASSERT_EQ(result.back(), members);
  });
}

// With 8 messages of credit for a pair, the members' agreements make the starts wait.
TEST(corners, checked_starts_may_wait_for_credit) {
  for (const int ranks : {2, 4, 7}) {
    const auto world = test::loopback_of(ranks);
    const auto many = [](job& here) {
      std::vector<request> open;
      for (int i = 0; i < 200; ++i) open.push_back(barrier(here.world()));
      wait_all(open);
    };
    EXPECT_EQ(test::message_of(*world, many, {.checked = true}), "no error");
  }
}

TEST(corners, checked_runs_notice_an_input_within_the_output) {
  const auto world = test::loopback_of(2);
  const auto overlapping = [](job& here) {
    std::vector<int> all(2);
    const std::span<const int> mine(&all[static_cast<std::size_t>(here.world().rank())], 1);
    all_gather(here.world(), blocking, mine, std::span(all));
  };
  const std::string said = test::message_of(*world, overlapping, {.checked = true});
  EXPECT_NE(said.find("all_gather: the input of 4 bytes and the output of 8 overlap"),
            std::string::npos)
      << said;
  const auto in_place_call = [](job& here) {
    std::vector<int> all(2, here.world().rank());
    all_gather(here.world(), blocking, in_place, std::span(all));
  };
  const auto again = test::loopback_of(2);
  EXPECT_EQ(test::message_of(*again, in_place_call, {.checked = true}), "no error");
}
