// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Members with different pasts, each with a selector of its own, must come to the same algorithm.
#include "upwash/collective/selector.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/collective/drawn_problem.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/problem_cache.hpp"
#include "upwash/tuning/tuned_selector.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

struct chosen {
  std::string what;  ///< empty: nothing serves
  std::vector<std::string> others;
  friend bool operator==(const chosen&, const chosen&) = default;
};

chosen ask(selector& who, const registry& from, const problem& call) {
  const auto text = [](const selection& one) { return text_of(one); };
  try {
    const selector::choice& one = who.choose(from, call);
    EXPECT_EQ(registry::objection(one.what, call), "") << one.why;
    chosen all{text(one.what), {}};
    for (const ranked& each : one.others) {
      EXPECT_EQ(registry::objection(each.what, call), "") << text(each.what);
      all.others.push_back(text(each.what));
    }
    return all;
  } catch (const error&) {
    return {};
  }
}

/// Asks one selector, which forgets, and a fresh one for each problem.
template <class Make>
void compare_pasts(const Make& make, int problems) {
  registry algorithms;
  add_algorithms(algorithms);
  const std::unique_ptr<selector> old = make();
  random_stream numbers(11, 3);
  for (int i = 0; i < problems; ++i) {
    const problem call = tests::random_problem(numbers);
    const chosen with_past = ask(*old, algorithms, call);
    const std::unique_ptr<selector> fresh = make();
    ASSERT_EQ(with_past, ask(*fresh, algorithms, call))
        << "problem " << i << ": " << to_string(call.of) << " of " << call.bytes << " bytes among "
        << call.ranks;
  }
}

/// Results for some sizes of every collective that can be measured.
tuning::knowledge some_knowledge() {
  tuning::knowledge known;
  for (const kind what : {kind::broadcast, kind::all_reduce, kind::all_to_all, kind::all_gather}) {
    for (const std::uint64_t bytes : {64, 4096, 49152}) {
      tuning::finding one;
      one.at = tuning::situation_of({.of = what, .ranks = 4, .bytes = bytes},
                                    tuning::placement::simulated);
      registry algorithms;
      add_algorithms(algorithms);
      double ns = 1000;
      for (const algorithm* each : algorithms.of(what)) {
        one.results.push_back({std::string(each->is.name), 7, 1, ns *= 1.1});
      }
      known.add(one);
    }
  }
  return known;
}

}  // namespace

TEST(model_selector, chooses_the_same_whatever_it_chose_before) {
  compare_pasts([] { return make_model_selector("laptop"); }, 700);
  compare_pasts([] { return make_model_selector("edr"); }, 300);
}

TEST(tuned_selector, chooses_the_same_whatever_it_chose_before) {
  const tuning::knowledge known = some_knowledge();
  const auto make = [&] {
    auto made = std::make_unique<tuning::tuned_selector>("laptop");
    made->learn(known, "t.json");
    return made;
  };
  compare_pasts(make, 1000);
}

TEST(model_selector, asks_for_objections_at_the_very_size) {
  registry algorithms;
  add_algorithms(algorithms);
  const auto selects = make_model_selector("laptop");
  for (const kind what : {kind::all_reduce, kind::reduce, kind::gather, kind::broadcast}) {
    for (std::uint64_t bytes = 32768 - 4096; bytes <= 3 * 32768; bytes += 1024) {
      problem call{.of = what, .ranks = 2, .bytes = bytes, .element_bytes = 8};
      call.direct_access = true;
      call.shared_scratch = 32768;
      call.eager_bytes = 4096;
      const selector::choice& one = selects->choose(algorithms, call);
      EXPECT_EQ(registry::objection(one.what, call), "") << one.why;
      EXPECT_EQ(one.why.substr(0, 10), "the prices") << one.why;
    }
  }
}

TEST(model_selector, prices_every_collective_of_teams_of_any_size) {
  registry algorithms;
  add_algorithms(algorithms);
  for (const char* machine : {"edr", "summit", "frontera"}) {
    const auto selects = make_model_selector(machine);
    for (const std::string_view name : kind_names()) {
      for (const int ranks : {100, 128, 256, 1000}) {
        if (test::sanitized && ranks > 128) continue;
        const problem call{.of = kind_named(name), .ranks = ranks, .bytes = 0};
        const std::string why = selects->choose(algorithms, call).why;
        EXPECT_EQ(why.substr(0, 10), "the prices") << name << " " << ranks << ": " << why;
      }
    }
  }
}

/// What is known to take longer is spared its price, and never what takes the least.
TEST(model_selector, spares_prices_of_none_that_is_cheapest) {
  registry algorithms;
  add_algorithms(algorithms);
  const predictor by(load_machine("laptop"));
  const std::unique_ptr<selector> chooses = make_model_selector("laptop");
  for (const kind of :
       {kind::all_reduce, kind::reduce_scatter, kind::all_gather, kind::broadcast, kind::reduce}) {
    for (const int ranks : {2, 5, 8, 9, 16, 17, 24, 40}) {
      if (test::sanitized && ranks > 9) continue;
      for (const std::uint64_t bytes : {8, 4096, 262'144, 1 << 20}) {
        problem call{.of = of, .ranks = ranks, .bytes = bytes, .element_bytes = 8};
        call.ranks_per_node = ranks;
        call.direct_access = true;
        const selector::choice& one = chooses->choose(algorithms, call);
        const auto mine = by.predict(one.what, call, steps_worth_a_choice(ranks)).time;
        ASSERT_TRUE(mine);
        for (const algorithm* each : algorithms.of(of)) {
          const selection other{each, model::initial_values(each->is)};
          if (!registry::objection(other, call).empty()) continue;
          const auto theirs = by.predict(other, call, steps_worth_a_choice(ranks)).time;
          if (!theirs) continue;
          EXPECT_LE(mine->ns(), 1.031 * theirs->ns())
              << to_string(of) << " of " << bytes << " bytes among " << ranks << ": "
              << text_of(one.what) << ", not " << text_of(other);
        }
      }
    }
  }
}

TEST(representative_of, stands_for_sizes_that_are_at_most_a_quarter_more) {
  random_stream numbers(5, 0);
  for (int i = 0; i < 20'000; ++i) {
    const problem call = tests::random_problem(numbers);
    const bool told_by_nobody =
        call.of == kind::all_to_all_v || call.of == kind::gather_v || call.of == kind::scatter_v;
    if (told_by_nobody && call.bytes == 0) continue;
    const problem least = representative_of(call, 4);
    const problem most = representative_of(call, 4, end_of_class::most);
    ASSERT_LE(least.bytes, call.bytes);
    ASSERT_GE(most.bytes, call.bytes);
    ASSERT_LE(call.bytes * 4, least.bytes * 5 + 4 * 4096);
    ASSERT_EQ(least.bytes % call.element_bytes, 0U);
    ASSERT_EQ(most.bytes % call.element_bytes, 0U);
    ASSERT_EQ(least.bytes <= call.eager_bytes, call.bytes <= call.eager_bytes);
    ASSERT_EQ(most.bytes <= call.eager_bytes, call.bytes <= call.eager_bytes);
    // The same from anywhere in the class.
    ASSERT_EQ(representative_of(least, 4), least);
    ASSERT_EQ(representative_of(most, 4), least);
  }
}

TEST(problem_cache, keeps_the_most_recently_used_whatever_their_label) {
  problem_cache<int> cache(2);
  problem call{.of = kind::broadcast, .ranks = 2, .bytes = 1};
  {
    const std::string gone = "a label that is longer than what fits into the string itself";
    call.label = gone;
    cache.add(call, 1);
    call.label = {};
  }
  ASSERT_NE(cache.find(call), nullptr);
  EXPECT_EQ(*cache.find(call), 1);
  problem other = call;
  other.known_senders = true;
  EXPECT_EQ(cache.find(other), nullptr);
  cache.add(other, 2);
  ASSERT_NE(cache.find(call), nullptr);
  problem third = call;
  third.exit = schedule::sync_mode::all;
  cache.add(third, 3);
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.find(other), nullptr);
  EXPECT_NE(cache.find(call), nullptr);
}
