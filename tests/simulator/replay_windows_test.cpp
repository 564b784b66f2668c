// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replay by windows and by threads against the replay of all events in one order of time: the same
// to the picosecond for every rank, whatever the algorithm, machine and mechanism. What large teams
// take: memory a rank, time a message, messages that are copied whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "tests/schedule/written_schedules.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/simulator/detail/replay_lookahead.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using collective::kind;
using schedule::mechanism;
using simulator::replay_options;
using simulator::replay_totals;
using simulator::replayed_rank;

constexpr kind kinds[] = {kind::barrier,        kind::broadcast,  kind::scatter,
                          kind::gather,         kind::all_gather, kind::all_to_all,
                          kind::reduce_scatter, kind::all_reduce, kind::scan};

machine flat() {
  return uniform_machine(duration::from_us(5), duration::from_us(1), duration::from_us(1.5), 0.5);
}

/// Nodes of 3 in groups of 12: what leaves a node may have less latency than what leaves a group.
machine with_groups() {
  machine on =
      uniform_machine(duration::from_us(2), duration::from_ns(400), duration::from_ns(600), 0.25);
  machine_level inner = on.levels.front();
  inner.kind = level_kind::group;
  inner.ranks = 12;
  inner.loggp = loggp_cost{duration::from_ns(700), duration::from_ns(300), 0.2};
  machine_level node = inner;
  node.kind = level_kind::node;
  node.ranks = 3;
  node.loggp = loggp_cost{duration::from_ns(200), duration::from_ns(80), 0.1};
  on.levels.insert(on.levels.begin(), {node, inner});
  on.processor.copy_ns_per_byte = 0.1;
  on.processor.reduce_ns_per_byte = 0.3;
  return on;
}

collective::problem problem_of(kind what, int ranks, std::uint64_t bytes) {
  collective::problem call;
  call.of = what;
  call.ranks = ranks;
  call.bytes = bytes;
  call.element_bytes = 4;
  call.addresses = schedule::address_mode::single;
  return call;
}

struct outcome {
  std::vector<replayed_rank> ranks;
  replay_totals totals;
  duration completion;
};

outcome replayed(const collective::selection& with, const collective::problem& call,
                 const machine& on, schedule::transfer_rules rules, replay_options options) {
  rules.addresses = call.addresses;
  options.free_where_absent = true;
  outcome seen;
  options.totals = &seen.totals;
  const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
  seen.ranks = simulator::replay(call.ranks, steps, on, rules, options);
  for (const replayed_rank& each : seen.ranks) {
    seen.completion = std::max(seen.completion, each.completion);
  }
  return seen;
}

void expect_equal(const outcome& a, const outcome& b, const std::string& where) {
  ASSERT_EQ(a.ranks.size(), b.ranks.size()) << where;
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    EXPECT_EQ(a.ranks[rank].completion, b.ranks[rank].completion) << where << ", rank " << rank;
    EXPECT_EQ(a.ranks[rank].processor, b.ranks[rank].processor) << where << ", rank " << rank;
  }
  EXPECT_EQ(a.totals.messages, b.totals.messages) << where;
  EXPECT_EQ(a.totals.wire_messages, b.totals.wire_messages) << where;
}

void compare(const collective::problem& call, const machine& on,
             const schedule::transfer_rules& rules, const replay_options& options = {}) {
  collective::registry all;
  collective::add_algorithms(all);
  for (const collective::algorithm* one : all.of(call.of)) {
    const collective::selection with{one, model::initial_values(one->is)};
    if (!collective::registry::objection(with, call).empty()) continue;
    const std::string where = std::string(to_string(call.of)) + " " + std::string(one->is.name) +
                              " on " + std::to_string(call.ranks) + " ranks of " + on.name;
    replay_options together = options;
    together.by_windows = false;
    const outcome expected = replayed(with, call, on, rules, together);
    expect_equal(replayed(with, call, on, rules, options), expected, where + ", windows");
    replay_options shared = options;
    shared.threads = 2;
    expect_equal(replayed(with, call, on, rules, shared), expected, where + ", 2 threads");
  }
}

}  // namespace

TEST(replay_windows, give_what_one_order_of_time_gives) {
  for (const kind what : kinds) {
    for (const std::uint64_t bytes : {8, 4096}) {
      for (const int ranks : {1, 5, test::sanitized ? 41 : 64}) {
        compare(problem_of(what, ranks, bytes), flat(), {});
        compare(problem_of(what, ranks, bytes), with_groups(), {});
        compare(problem_of(what, ranks, bytes), load_machine("lemieux"), {});
      }
    }
  }
}

TEST(replay_windows, give_the_same_by_every_mechanism_and_with_daemons) {
  replay_options noisy;
  noisy.daemons.period = duration::from_us(100);
  noisy.daemons.length = duration::from_us(7);
  for (const kind what : kinds) {
    for (const mechanism how : {mechanism::eager, mechanism::signalling_put, mechanism::rendezvous,
                                mechanism::single_copy}) {
      schedule::transfer_rules rules;
      rules.direct = true;
      rules.forced = how;
      rules.eager_bytes = 4096;
      collective::problem call = problem_of(what, 48, 2048);
      call.direct_access = true;
      compare(call, with_groups(), rules, noisy);
    }
  }
}

/// The last ranks of a mesh with holes send short messages, whose latency is a part of the others':
/// they have windows of their own.
TEST(replay_windows, of_places_with_short_messages_do_not_change_what_comes_out) {
  collective::registry all;
  collective::add_algorithms(all);
  schedule::transfer_rules whole;
  whole.eager_bytes = std::uint64_t{1} << 20U;
  for (const char* name : {"mesh2d", "mesh3d"}) {
    for (const int ranks : {121, 122, 131, 401}) {
      collective::problem call = problem_of(kind::all_to_all, ranks, 512);
      call.whole_messages = true;
      const collective::selection with = all.named(kind::all_to_all, name);
      const machine on = load_machine("lemieux");
      replay_options options;
      options.by_windows = false;
      const outcome expected = replayed(with, call, on, whole, options);
      options.by_windows = true;
      for (const int threads : {1, 2}) {
        options.threads = threads;
        expect_equal(replayed(with, call, on, whole, options), expected,
                     std::string(name) + " on " + std::to_string(ranks) + " ranks");
      }
    }
  }
}

/// Who these are is seen by one rank of each class.
TEST(replay_windows, are_short_at_the_last_places_of_a_mesh_with_holes_only) {
  collective::registry all;
  collective::add_algorithms(all);
  const collective::selection with = all.named(kind::all_to_all, "mesh2d");
  schedule::transfer_rules whole;
  whole.eager_bytes = std::uint64_t{1} << 20U;
  const machine on = load_machine("lemieux");
  const auto of = [&](int ranks) {
    collective::problem call = problem_of(kind::all_to_all, ranks, 512);
    call.whole_messages = true;
    const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
    return simulator::detail::lookahead_of(ranks, 4, steps, on, whole, {});
  };
  const simulator::detail::lookahead holes = of(20 * 20 + 1);
  ASSERT_FALSE(holes.short_places.empty());
  EXPECT_EQ(holes.short_places.back(), 100U);
  EXPECT_LE(holes.short_places.size(), 2U);
  EXPECT_GT(holes.window_ps, 2 * holes.short_window_ps);
  const simulator::detail::lookahead full = of(20 * 20);
  EXPECT_TRUE(full.short_places.empty());
  EXPECT_GE(full.window_ps, holes.window_ps);
}

/// Between nodes without a latency there are no windows: all events are in one order of time.
TEST(replay_windows, are_done_without_where_nothing_takes_time) {
  const machine instant =
      uniform_machine(duration(), duration::from_us(1), duration::from_us(1.5), 0.5);
  compare(problem_of(kind::all_to_all, 20, 64), instant, {});
  compare(problem_of(kind::all_reduce, 20, 64), instant, {});
}

TEST(replay_windows, of_many_stretches_are_shared_by_threads) {
  collective::registry all;
  collective::add_algorithms(all);
  const int ranks = test::sanitized ? 200 : 700;
  for (const char* name : {"cyclic", "mesh2d", "bruck"}) {
    const collective::selection with = all.named(kind::all_to_all, name);
    const collective::problem call = problem_of(kind::all_to_all, ranks, 16);
    const outcome one = replayed(with, call, flat(), {}, {});
    for (const int threads : {2, 3, 7}) {
      replay_options shared;
      shared.threads = threads;
      expect_equal(replayed(with, call, flat(), {}, shared), one,
                   std::string(name) + " by " + std::to_string(threads));
    }
  }
}

TEST(replay_windows, name_the_first_rank_that_is_wrong_whoever_finds_it) {
  using namespace schedule::testing;
  schedule::step close = to_peer(schedule::step_kind::close, schedule::own, 7);
  close.counted = true;
  ranks_of_steps all(256);
  all[70] = all[200] = {close};
  const auto steps = [&](int rank) { return schedule_of(all, rank); };
  for (const int threads : {1, 2}) {
    replay_options shared;
    shared.threads = threads;
    try {
      (void)simulator::replay(256, steps, flat(), {}, shared);
      FAIL() << "nobody knows how many messages come";
    } catch (const error& wrong) {
      EXPECT_EQ(std::string(wrong.what()).find("replay: rank 70, step 0: "), 0U) << wrong.what();
    }
  }
  replay_options none;
  none.threads = 0;
  EXPECT_THROW((void)simulator::replay(4, steps, flat(), {}, none), error);
  EXPECT_THROW((void)simulator::replay(0, steps, flat(), {}, {}), error);
}

TEST(replay_windows, keep_less_than_a_kilobyte_a_rank_beside_the_schedule) {
  collective::registry all;
  collective::add_algorithms(all);
  const int ranks = test::sanitized ? 256 : 4096;
  collective::problem call = problem_of(kind::all_to_all, ranks, 64);
  call.whole_messages = true;
  replay_options small;
  small.least_window = 8;
  for (const char* machine : {"lemieux", "edr"}) {
    const outcome seen =
        replayed(all.named(kind::all_to_all, "mesh2d"), call, load_machine(machine), {}, small);
    EXPECT_LT(seen.totals.memory_bytes, 1024U * static_cast<unsigned>(ranks)) << machine;
    EXPECT_GT(seen.totals.memory_bytes, 100U * static_cast<unsigned>(ranks)) << machine;
  }
}

/// All messages at once: LogGOPSim's time is about cubic in the ranks. Ratios, the best of three.
TEST(replay_windows, take_time_linear_in_messages_that_are_posted_at_once) {
  if (test::sanitized) GTEST_SKIP() << "measures time";
  collective::registry all;
  collective::add_algorithms(all);
  const auto per_message = [&](int ranks) {
    const collective::problem call = problem_of(kind::all_to_all, ranks, 64);
    replay_options at_once;
    at_once.least_window = static_cast<std::uint32_t>(3 * ranks);
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      const std::clock_t start = std::clock();  // of the processor: other programs take turns, too
      const outcome seen =
          replayed(all.named(kind::all_to_all, "direct"), call, flat(), {}, at_once);
      best = std::min(best, static_cast<double>(std::clock() - start) /
                                static_cast<double>(seen.totals.messages));
    }
    return best;
  };
  // Eight times as many messages a rank: linear is 1 (and caches), quadratic in what waits is 8.
  EXPECT_LT(per_message(1024) / per_message(128), 5);
}

TEST(replay_windows, of_whole_messages_end_when_those_of_their_parts_do) {
  collective::registry all;
  collective::add_algorithms(all);
  for (const char* name : {"mesh2d", "mesh3d"}) {
    for (const int ranks : {64, 100, 250}) {
      const collective::selection with = all.named(kind::all_to_all, name);
      collective::problem call = problem_of(kind::all_to_all, ranks, 512);
      const outcome parts = replayed(with, call, with_groups(), {}, {});
      call.whole_messages = true;
      const outcome whole = replayed(with, call, with_groups(), {}, {});
      EXPECT_EQ(parts.totals.messages, whole.totals.messages) << name << " " << ranks;
      EXPECT_GT(parts.totals.steps, 2 * whole.totals.steps) << name << " " << ranks;
      EXPECT_NEAR(whole.completion.us() / parts.completion.us(), 1, 0.03) << name << " " << ranks;
    }
  }
}
