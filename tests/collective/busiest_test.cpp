// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// needs::busiest: the price by that one rank is the price by all.
#include <gtest/gtest.h>

#include <string>

#include "tests/sanitized.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

struct two_prices {
  schedule::price_result by_one;
  schedule::price_result by_all;
};

two_prices prices_of(const selection& one, const problem& call, const machine& on) {
  schedule::price_options options;
  options.free_where_absent = true;
  const auto schedule_of = [&](int rank) { return one.priced_schedule_of(call, rank); };
  const auto priced = [&] {
    return schedule::price(call.ranks, schedule_of, on, rules_of(one, call), options);
  };
  two_prices made{.by_one = priced(), .by_all = {}};
  options.every_rank = true;
  made.by_all = priced();
  return made;
}

/// For all algorithms that name a busiest rank, in calls of many sizes: `each(selection, call)`.
void for_all(const auto& each) {
  registry algorithms;
  add_algorithms(algorithms);
  for (const kind of : {kind::all_reduce, kind::reduce_scatter}) {
    for (const int ranks : {2, 3, 5, 8, 16, 24, 33}) {
      if (test::sanitized && ranks > 8) continue;
      for (const std::uint64_t bytes : {8, 24, 136, 512, 1032, 4096, 40960, 1 << 20}) {
        for (const std::uint32_t element_bytes : {1, 8}) {
          problem call{.of = of, .ranks = ranks, .bytes = bytes, .element_bytes = element_bytes};
          call.ranks_per_node = ranks;
          call.direct_access = true;
          for (const algorithm* one : algorithms.of(of)) {
            const selection chosen{one, model::initial_values(one->is)};
            if (!registry::objection(chosen, call).empty()) continue;
            if (chosen.priced_schedule_of(call, 0).wants().busiest >= 0) each(chosen, call);
          }
        }
      }
    }
  }
}

std::string text_of(const selection& one, const problem& call) {
  return upwash::collective::text_of(one) + " " + std::to_string(call.ranks) + " ranks " +
         std::to_string(call.bytes) + " bytes of " + std::to_string(call.element_bytes);
}

}  // namespace

TEST(busiest, takes_as_long_as_all_of_a_round) {
  int prices = 0;
  const machine on = load_machine("laptop");
  for_all([&](const selection& one, const problem& call) {
    if (one.chosen->is.name != "shared") return;
    const auto [by_one, by_all] = prices_of(one, call, on);
    ASSERT_EQ(by_one.ranks_walked, 1);
    EXPECT_EQ(by_one.completion, by_all.completion) << text_of(one, call);
    EXPECT_EQ(by_one.processor_most, by_all.processor_most) << text_of(one, call);
    EXPECT_EQ(by_one.processor_mean, by_all.processor_mean) << text_of(one, call);
    EXPECT_EQ(by_one.rounds, by_all.rounds) << text_of(one, call);
    ++prices;
  });
  EXPECT_GT(prices, 100);
}

/// The first rank's own contribution is where it belongs: it copies less, and ranks that share its
/// core wait less.
TEST(busiest, takes_a_little_longer_on_shared_cores_in_place) {
  const machine on = load_machine("laptop");
  for_all([&](const selection& one, problem call) {
    if (one.chosen->is.name != "shared") return;
    call.in_place = true;
    const auto [by_one, by_all] = prices_of(one, call, on);
    EXPECT_EQ(by_one.completion - by_one.core_sharing, by_all.completion - by_all.core_sharing)
        << text_of(one, call);
    EXPECT_GE(by_one.completion, by_all.completion) << text_of(one, call);
    EXPECT_LE(by_one.completion.ns(), 1.034 * by_all.completion.ns()) << text_of(one, call);
  });
}

/// Segments are of whole elements, so that some have one more to combine. What shared cores add is
/// not compared: where all are walked, who is done early lengthens the chain of those that are not.
TEST(busiest, takes_about_as_long_as_all_where_segments_differ) {
  constexpr double apart = 0.035;
  int prices = 0;
  for (const char* name : {"laptop", "edr"}) {
    const machine on = load_machine(name);
    for_all([&](const selection& one, const problem& call) {
      const auto [by_one, by_all] = prices_of(one, call, on);
      if (by_one.ranks_walked != 1) return;  // not all are equally far from each other
      const double of_one = (by_one.completion - by_one.core_sharing).ns();
      const double of_all = (by_all.completion - by_all.core_sharing).ns();
      EXPECT_NEAR(of_one, of_all, apart * of_all) << name << ": " << text_of(one, call);
      EXPECT_LE(by_one.core_sharing.ns(), by_all.core_sharing.ns() * (1 + apart))
          << name << ": " << text_of(one, call);
      ++prices;
    });
  }
  EXPECT_GT(prices, 400);
}

/// What makes a rank the busiest of all holds at one level, with each other's memory at hand.
TEST(busiest, stands_for_nobody_elsewhere) {
  registry algorithms;
  add_algorithms(algorithms);
  problem call{.of = kind::all_reduce, .ranks = 30, .bytes = 4096, .element_bytes = 8};
  call.ranks_per_node = call.ranks;
  call.direct_access = true;
  const selection one{algorithms.of(kind::all_reduce).front()};
  ASSERT_EQ(one.chosen->is.name, "shared");
  EXPECT_EQ(prices_of(one, call, load_machine("edr")).by_one.ranks_walked, 30) << "two sockets";
  call.ranks = 20;
  EXPECT_EQ(prices_of(one, call, load_machine("edr")).by_one.ranks_walked, 1) << "of one";
  call.direct_access = false;
  EXPECT_EQ(prices_of(one, call, load_machine("edr")).by_one.ranks_walked, 20) << "by messages";
}
