// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm of the table that knows all lengths beforehand: priced on 131,072 ranks, with the
// time that took printed, and on 1,024 against the replay.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "upwash/collective/registry.hpp"
#include "upwash/schedule/price.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using collective::kind;

constexpr kind kinds[] = {kind::barrier,    kind::broadcast,  kind::all_gather,
                          kind::all_to_all, kind::all_reduce, kind::scan};

/// Those that take seconds.
bool is_long(const std::string& name) {
  return name == "doubling" || name == "direct" || name == "single_copy" || name == "k_prefix" ||
         name.rfind("mesh", 0) == 0;
}

collective::problem problem_of(kind what, int ranks) {
  collective::problem call;
  call.what = what;
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
      const std::string name(each->is.name);
      if (all_of_them || !is_long(name)) what(call, with, std::string(to_string(one)) + " " + name);
    }
  }
}

schedule::price_options free_work() {
  schedule::price_options options;
  options.free_where_absent = true;
  return options;
}

}  // namespace

TEST(price_of_all, on_131072_ranks_takes_seconds) {
  const machine on = load_machine("lemieux");
  for_all(131'072, [&](const collective::problem& call, const collective::selection& with,
                       const std::string& name) {
    const auto begin = std::chrono::steady_clock::now();
    const schedule::price_result result = price(
        call.ranks, [&](int rank) { return with.schedule_of(call, rank); }, on, {}, free_work());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%s: %.3f us, priced in %.2f s (%s)\n", name.c_str(), result.completion.us(),
                took.count(), result.how(call.ranks).c_str());
    EXPECT_GT(result.completion, duration()) << name;
    EXPECT_LT(took.count(), 20) << name;
  });
}

TEST(price_of_all, on_1024_ranks_agrees_with_the_replay) {
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
