// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The price of a schedule against its replay: all algorithms of the table, on machines of several
// shapes, by every mechanism.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "tests/schedule/written_schedules.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/schedule/price.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using collective::kind;
using schedule::generator;
using schedule::mechanism;
using schedule::transfer_rules;

/// A machine that has every cost: nodes of 4 ranks that share ports.
machine with_nodes() {
  machine on =
      uniform_machine(duration::from_us(2), duration::from_ns(400), duration::from_ns(600), 0.25);
  machine_level node = on.levels.front();
  node.kind = level_kind::node;
  node.ranks = 4;
  node.loggp = loggp_cost{duration::from_ns(300), duration::from_ns(80), 0.1};
  node.send_overhead = node.receive_overhead = duration::from_ns(90);
  on.levels.insert(on.levels.begin(), node);
  on.processor.copy_ns_per_byte = 0.1;
  on.processor.reduce_ns_per_byte = 0.3;
  on.nic.of = nic_protocol::owner::node;
  on.name = "nodes of four";
  return on;
}

machine flat() {
  return uniform_machine(duration::from_us(5), duration::from_us(1), duration::from_us(1.5), 0.5);
}

struct outcome {
  duration completion;
  duration processor_most;
};

outcome replayed(int ranks, function_ref<generator(int)> steps, const machine& on,
                 const transfer_rules& rules) {
  simulator::replay_options options;
  options.free_where_absent = true;
  outcome worst;
  for (const auto& each : simulator::replay(ranks, steps, on, rules, options)) {
    worst.completion = std::max(worst.completion, each.completion);
    worst.processor_most = std::max(worst.processor_most, each.processor);
  }
  return worst;
}

outcome priced(int ranks, function_ref<generator(int)> steps, const machine& on,
               const transfer_rules& rules) {
  schedule::price_options options;
  options.free_where_absent = true;
  const schedule::price_result result = price(ranks, steps, on, rules, options);
  return {result.completion, result.processor_most};
}

double ratio(duration a, duration b) {
  return b.ps() == 0 ? (a.ps() == 0 ? 1.0 : 2.0)
                     : static_cast<double>(a.ps()) / static_cast<double>(b.ps());
}

/// All algorithms that can serve the call with their initial values.
template <class Do>
void for_all(const collective::problem& call, const Do& what) {
  collective::registry all;
  collective::add_algorithms(all);
  for (const collective::algorithm* one : all.of(call.of)) {
    const collective::selection with{one, model::initial_values(one->is)};
    if (!collective::registry::objection(with, call).empty()) continue;
    what(with);
  }
}

constexpr kind kinds[] = {kind::barrier,    kind::broadcast,  kind::all_gather,
                          kind::all_to_all, kind::all_reduce, kind::scan};

/// They are equal where schedules of alike ranks are so to the byte. Blocks of the ring may differ
/// by an element, which the price does not see.
constexpr double tolerance = 0.002;

void compare(const collective::problem& call, const machine& on, const transfer_rules& rules) {
  for_all(call, [&](const collective::selection& with) {
    const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
    const outcome a = priced(call.ranks, steps, on, rules);
    const outcome b = replayed(call.ranks, steps, on, rules);
    const std::string where = std::string(to_string(call.of)) + " " +
                              std::string(with.chosen->is.name) + " on " +
                              std::to_string(call.ranks) + " ranks of " + on.name + ", " +
                              std::to_string(call.bytes) + " bytes";
    EXPECT_NEAR(ratio(a.completion, b.completion), 1, tolerance)
        << where << ": " << a.completion.us() << " priced, " << b.completion.us() << " replayed";
    EXPECT_NEAR(ratio(a.processor_most, b.processor_most), 1, tolerance) << where;
  });
}

collective::problem problem_of(kind what, int ranks, std::uint64_t bytes) {
  collective::problem call;
  call.of = what;
  call.ranks = ranks;
  call.bytes = bytes;
  call.element_bytes = 4;
  return call;
}

}  // namespace

TEST(replay, agrees_with_the_price_on_machines_of_one_level) {
  for (const kind what : kinds) {
    for (const int ranks : {1, 2, 7, 16, 64}) {
      for (const std::uint64_t bytes : {4, 4096, 400'000}) {
        compare(problem_of(what, ranks, bytes), flat(), {});
      }
    }
  }
}

TEST(replay, agrees_with_the_price_on_machines_with_nodes) {
  for (const kind what : kinds) {
    for (const int ranks : {2, 8, 10, 64}) {
      for (const std::uint64_t bytes : {4, 4096, 400'000}) {
        compare(problem_of(what, ranks, bytes), with_nodes(), {});
        compare(problem_of(what, ranks, bytes), load_machine("lemieux"), {});
      }
    }
  }
}

TEST(replay, agrees_with_the_price_by_every_mechanism) {
  for (const mechanism how : {mechanism::eager, mechanism::signalling_put, mechanism::rendezvous,
                              mechanism::single_copy}) {
    for (const kind what : kinds) {
      transfer_rules rules;
      rules.addresses = schedule::address_mode::single;
      rules.direct = true;
      rules.forced = how;
      rules.eager_bytes = 4096;
      collective::problem call = problem_of(what, 24, 2048);
      call.addresses = rules.addresses;
      call.direct_access = true;
      compare(call, with_nodes(), rules);
    }
  }
}

TEST(replay, agrees_with_the_price_of_signals_collects_and_remote_operands) {
  using namespace schedule;
  using namespace schedule::testing;
  step wait = to_peer(step_kind::await, own, 3);
  wait.value = 2;
  step pull = to_peer(step_kind::await, 0, 4);
  pull.value = 1;
  step close = then(to_peer(step_kind::close, own, 7));
  close.after_all = true;
  step fetch = local(step_kind::copy, {buffer::input, 0, 1001, 1}, {buffer::output, 0, 1001});
  step store = local(step_kind::copy, {buffer::input, 0, 1001}, {buffer::output, 0, 1001, 0});
  const ranks_of_steps all{
      {to_peer(step_kind::collect, own, 7), then(wait), close, then(fetch),
       then(to_peer(step_kind::signal, own, 4))},
      {to_peer(step_kind::send, 0, 7, 2000), then(to_peer(step_kind::signal, 0, 3)), then(pull)},
      {to_peer(step_kind::send, 0, 7, 100), then(to_peer(step_kind::signal, 0, 3)), then(store)}};
  const auto steps = [&](int rank) { return schedule_of(all, rank); };
  for (const machine& on : {flat(), with_nodes()}) {
    const outcome a = priced(3, steps, on, {});
    const outcome b = replayed(3, steps, on, {});
    EXPECT_GT(a.completion, duration::from_us(2));
    EXPECT_EQ(a.completion, b.completion);
    EXPECT_EQ(a.processor_most, b.processor_most);
  }
}

TEST(replay, names_what_is_stuck) {
  using namespace schedule::testing;
  const ranks_of_steps lonely{{to_peer(schedule::step_kind::receive, 1, 5, 1)}, {}};
  try {
    (void)simulator::replay(2, [&](int rank) { return schedule_of(lonely, rank); }, flat(), {});
    FAIL();
  } catch (const error& wrong) {
    EXPECT_STREQ(wrong.what(), "replay: step 0 of rank 0 never comes to its end");
  }
}

TEST(replay, agrees_with_the_price_of_a_thousand_ranks) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for fewer ranks";
  if (std::getenv("UPWASH_TEST_LONG") != nullptr) {
    for (const kind what : {kind::all_gather, kind::all_to_all, kind::all_reduce}) {
      compare(problem_of(what, 1024, 1024), with_nodes(), {});
    }
  }
  for (const kind what : {kind::barrier, kind::broadcast, kind::scan}) {
    compare(problem_of(what, 1024, 1024), with_nodes(), {});
  }
}
