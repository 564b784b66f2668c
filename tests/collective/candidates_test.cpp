// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "upwash/collective/selector.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

std::vector<std::string> names_of(kind what, int ranks, std::uint64_t bytes,
                                  std::string_view algorithm = {}) {
  registry all;
  add_algorithms(all);
  const problem call{.of = what, .ranks = ranks, .bytes = bytes};
  std::vector<std::string> names;
  for (const selection& each : candidates(all, call)) {
    EXPECT_EQ(registry::objection(each, call), "");
    if (algorithm.empty() || each.chosen->is.name == algorithm) {
      names.push_back(model::text_of(each.chosen->is, each.with));
    }
  }
  return names;
}

}  // namespace

TEST(candidates, try_radices_below_the_ranks_and_sizes_below_the_bytes) {
  using texts = std::vector<std::string>;
  EXPECT_EQ(names_of(kind::barrier, 16, 0, "dissemination"),
            (texts{"dissemination:k=2", "dissemination:k=4", "dissemination:k=8"}));
  EXPECT_EQ(names_of(kind::broadcast, 4, 8, "flat"), texts{"flat:segment=0"});
  EXPECT_EQ(names_of(kind::broadcast, 4, 16384, "flat"),
            (texts{"flat:segment=0", "flat:segment=1024", "flat:segment=4096"}));
  EXPECT_EQ(names_of(kind::broadcast, 5, 2048, "knomial"),
            (texts{"knomial:k=2,segment=0", "knomial:k=4,segment=0", "knomial:k=2,segment=1024",
                   "knomial:k=4,segment=1024"}));
}

TEST(candidates, are_few_distinct_and_begin_with_the_initial_values) {
  registry all;
  add_algorithms(all);
  for (const std::string_view collective : kind_names()) {
    for (const int ranks : {1, 2, 7, 1000, 1 << 20}) {
      const problem call{.of = kind_named(collective), .ranks = ranks, .bytes = 1 << 24};
      std::set<std::string> seen;
      for (const algorithm* each : all.of(call.of)) {
        const auto its = candidates_of(*each, call);
        EXPECT_LE(its.size(), 32U) << each->is.name;
        for (const selection& one : its) {
          EXPECT_TRUE(seen.insert(model::text_of(each->is, one.with)).second);
        }
        const selection initial{each, model::initial_values(each->is)};
        if (!registry::objection(initial, call).empty()) continue;
        ASSERT_FALSE(its.empty()) << each->is.name;
        EXPECT_EQ(its.front().with, initial.with) << each->is.name;
      }
    }
  }
}

TEST(candidates, are_ranked_by_price_with_those_without_at_the_end) {
  registry all;
  add_algorithms(all);
  const problem call{.of = kind::all_to_all, .ranks = 64, .bytes = 64};
  const predictor by(load_machine("lemieux"));
  const auto order = ranking(candidates(all, call), call, by, 3000);
  const auto price = [](const ranked& one) { return one.predicted.value_or(duration::max()); };
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(), [&](const ranked& a, const ranked& b) {
    return price(a) < price(b);
  }));
  EXPECT_TRUE(order.front().predicted);
}

TEST(candidates, give_the_model_selector_other_values_where_they_are_cheaper) {
  registry all;
  add_algorithms(all);
  const auto model = make_model_selector("lemieux");
  const predictor by(load_machine("lemieux"));
  int others = 0;
  for (const kind what : {kind::broadcast, kind::all_reduce, kind::barrier, kind::all_gather}) {
    for (std::uint64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
      const problem call{.of = what, .ranks = 64, .bytes = bytes};
      const selection chosen = model->choose(all, call).what;
      const selection initial{chosen.chosen, model::initial_values(chosen.chosen->is)};
      if (chosen.with == initial.with) continue;
      ++others;
      EXPECT_LT(*by.predict(chosen, call, 10'000).time, *by.predict(initial, call, 10'000).time);
    }
  }
  EXPECT_GT(others, 0);
}

TEST(predictor, asks_for_processor_time_where_ranks_compute_meanwhile) {
  registry all;
  add_algorithms(all);
  problem call{.of = kind::all_to_all, .ranks = 16, .bytes = 4096};
  const predictor by(load_machine("lemieux"));
  const selection direct = all.named(kind::all_to_all, "direct");
  const auto to_the_end = by.predict(direct, call, 100'000);
  call.overlapped = true;
  const auto busy = by.predict(direct, call, 100'000);
  ASSERT_TRUE(to_the_end.time && busy.time);
  EXPECT_LT(*busy.time, *to_the_end.time);
  EXPECT_EQ(to_the_end.steps_walked, busy.steps_walked);
  EXPECT_FALSE(by.predict(direct, call, 3).time);
}
