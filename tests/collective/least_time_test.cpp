// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bound that spares prices is below every price, and near enough to spare some.
#include "upwash/schedule/least_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

/// How near the bound is to the price of all ranks, which it must not pass.
double nearness(const selection& one, const problem& call, const machine& on) {
  schedule::price_options options;
  options.free_where_absent = true;
  options.every_rank = true;
  options.steps_before_skipping = UINT64_MAX;
  const auto steps = [&](int rank) { return one.priced_schedule_of(call, rank); };
  const duration least = schedule::least_time(call.ranks, call.root, steps, on, rules_of(one, call),
                                              options, 1'000'000);
  const duration time =
      schedule::price(call.ranks, steps, on, rules_of(one, call), options).completion;
  EXPECT_LE(least, time) << text_of(one) << " of " << call.bytes << " bytes among " << call.ranks;
  return least.ns() / time.ns();
}

}  // namespace

TEST(least_time, is_below_the_price) {
  registry all;
  add_algorithms(all);
  double nearest = 0;
  for (const char* name : {"edr", "lemieux", "constellation"}) {
    const machine on = predictor(load_machine(name)).edged();
    for (const kind what :
         {kind::barrier, kind::broadcast, kind::scatter, kind::gather, kind::reduce,
          kind::all_gather, kind::all_to_all, kind::all_reduce, kind::reduce_scatter, kind::scan}) {
      for (const int ranks : {9, 16, 33, 64, 90}) {
        for (const std::uint64_t bytes : {8, 4096}) {
          problem call{.of = what, .ranks = ranks, .bytes = what == kind::barrier ? 0 : bytes};
          call.element_bytes = 8;
          for (const algorithm* each : all.of(what)) {
            const selection one{each, model::initial_values(each->is)};
            if (!registry::objection(one, call).empty()) continue;
            nearest = std::max(nearest, nearness(one, call, on));
          }
        }
      }
    }
  }
  EXPECT_GT(nearest, 0.9);
}

TEST(least_time, leaves_out_what_it_may_not_walk) {
  registry all;
  add_algorithms(all);
  const problem call{.of = kind::all_to_all, .ranks = 64, .bytes = 4096};
  const selection direct = all.named(call.of, "direct");
  const machine on = load_machine("edr");
  const auto bound = [&](std::uint64_t most_steps) {
    return schedule::least_time(
        call.ranks, 0, [&](int rank) { return direct.schedule_of(call, rank); }, on,
        rules_of(direct, call), {.free_where_absent = true}, most_steps);
  };
  EXPECT_EQ(bound(0), duration());
  EXPECT_LT(bound(100), bound(10'000));
}

TEST(least_time, is_not_looked_for_further_than_to_what_is_enough) {
  registry all;
  add_algorithms(all);
  const problem call{.of = kind::all_to_all, .ranks = 16, .bytes = 4096};
  const machine on = load_machine("edr");
  for (const char* name : {"direct", "bruck", "mesh2d"}) {
    const selection one = all.named(call.of, name);
    const auto bound = [&](duration enough) {
      return schedule::least_time(
          call.ranks, 0, [&](int rank) { return one.schedule_of(call, rank); }, on,
          rules_of(one, call), {.free_where_absent = true, .most_time = enough}, 10'000);
    };
    const duration whole = bound(duration::max());
    const duration half = duration::from_ps(whole.ps() / 2);
    EXPECT_EQ(bound(whole), whole) << name;
    EXPECT_GT(bound(half), half) << name;
    EXPECT_LT(bound(half), whole) << name;
  }
}

// Every member has a step for what comes, and somebody sends it.
TEST(least_time, of_teams_too_large_to_walk_need_not_be_known) {
  registry all;
  add_algorithms(all);
  const problem call{.of = kind::broadcast, .ranks = 1 << 20, .bytes = 8, .in_place = true};
  const selection flat = all.named(call.of, "flat");
  schedule::price_options options;
  options.free_where_absent = true;
  options.most_steps = 2'000'000;
  try {
    static_cast<void>(schedule::price(
        call.ranks, [&](int rank) { return flat.schedule_of(call, rank); }, load_machine("edr"),
        rules_of(flat, call), options));
    FAIL() << "a price";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("take more than 2000000 steps"), std::string::npos)
        << refused.what();
  }
}
