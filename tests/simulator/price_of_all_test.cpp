// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm of the table that knows all lengths beforehand: priced on 131,072 ranks, with the
// time that took printed, and on 1,024 against the replay.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <string>

#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/schedule/price.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using collective::kind;

constexpr kind kinds[] = {kind::barrier,    kind::broadcast,  kind::all_gather,
                          kind::all_to_all, kind::all_reduce, kind::scan};

/// Those of the quick run: the first ten, but for the ones that take seconds.
bool is_quick(const std::string& name) {
  constexpr const char* quick[] = {
      "barrier dissemination", "barrier central", "broadcast knomial", "broadcast hierarchical",
      "broadcast double_tree", "all_reduce ring", "all_to_all mesh3d"};
  return std::find(std::begin(quick), std::end(quick), name) != std::end(quick);
}

collective::problem problem_of(kind what, int ranks) {
  collective::problem call;
  call.of = what;
  call.ranks = ranks;
  call.bytes = 64;
  call.element_bytes = 4;
  call.addresses = schedule::address_mode::single;
  call.direct_access = true;
  return call;
}

template <class Do>
void for_all(int ranks, const Do& what) {
  const bool all_of_them = std::getenv("UPWASH_TEST_LONG") != nullptr;
  collective::registry all;
  collective::add_algorithms(all);
  for (const kind one : kinds) {
    const collective::problem call = problem_of(one, ranks);
    for (const collective::algorithm* each : all.of(one)) {
      const collective::selection with{each, model::initial_values(each->is)};
      if (!collective::registry::objection(with, call).empty()) continue;
      const std::string name = std::string(to_string(one)) + " " + std::string(each->is.name);
      if (all_of_them || is_quick(name)) what(call, with, name);
    }
  }
}

schedule::price_options free_work() {
  schedule::price_options options;
  options.free_where_absent = true;
  return options;
}

}  // namespace

TEST(price_of_all, on_131072_ranks) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for fewer ranks";
  const machine on = load_machine("lemieux");
  for_all(131'072, [&](const collective::problem& call, const collective::selection& with,
                       const std::string& name) {
    const auto begin = std::chrono::steady_clock::now();
    std::string how;
    try {
      const schedule::price_result result = price(
          call.ranks, [&](int rank) { return with.schedule_of(call, rank); }, on, {}, free_work());
      // No algorithm ends sooner among 128 times as many ranks, nor works longer than it takes.
      const collective::problem few = problem_of(call.of, 1024);
      const schedule::price_result small = price(
          few.ranks, [&](int rank) { return with.schedule_of(few, rank); }, on, {}, free_work());
      EXPECT_GT(small.completion, duration()) << name;
      EXPECT_GT(result.completion, small.completion) << name;
      EXPECT_LE(result.processor_most, result.completion) << name;
      how = fmt::format("{:.3f} us, {}", result.completion.us(), result.how(call.ranks));
    } catch (const upwash::error& refused) {
      // Ranks that differ in too many ways, and too many steps to walk them all: it says so.
      how = refused.what();
      EXPECT_NE(how.find("none stand for the others"), std::string::npos) << name;
      EXPECT_FALSE(is_quick(name)) << name;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print("{}: {}; in {:.2f} s\n", name, how, took.count());
  });
}

TEST(price_of_all, on_1024_ranks_agrees_with_the_replay) {
  if (upwash::test::sanitized) GTEST_SKIP() << "the same code as for fewer ranks";
  const machine on = load_machine("lemieux");
  for_all(1024, [&](const collective::problem& call, const collective::selection& with,
                    const std::string& name) {
    const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
    const schedule::price_result a = price(call.ranks, steps, on, {}, free_work());
    duration completion;
    duration processor;
    simulator::replay_options options;
    options.free_where_absent = true;
    for (const auto& each : simulator::replay(call.ranks, steps, on, {}, options)) {
      completion = std::max(completion, each.completion);
      processor = std::max(processor, each.processor);
    }
    const double tolerance = a.stands_for.empty() ? 0.002 : 0.10;
    EXPECT_NEAR(a.completion.us() / completion.us(), 1, tolerance) << name;
    EXPECT_NEAR(a.processor_most.us() / processor.us(), 1, 0.002) << name;
  });
}
