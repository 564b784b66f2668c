// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/search.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/core/host.hpp"
#include "upwash/tuning/trial.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;
using collective::kind;
using collective::problem;

struct searched {
  search_outcome outcome;
  std::size_t candidates = 0;
  std::size_t reports = 0;
};

searched search_all(job& here, problem call, const search_options& options) {
  collective::registry algorithms;
  collective::add_algorithms(algorithms);
  call = problem_on(here.world(), call);
  const auto all = collective::candidates(algorithms, call);
  const collective::predictor by(load_machine("laptop"));
  searched seen;
  seen.candidates = all.size();
  seen.outcome = search(here, call, all.back(), collective::ranking(all, call, by, 10'000), options,
                        [&](const search_progress&) { ++seen.reports; });
  return seen;
}

search_options quick(bool exhaustive) {
  search_options options;
  options.exhaustive = exhaustive;
  options.samples = 3;
  options.sample_seconds = 1e-5;
  options.budget_seconds = 1e6;  // tests count what is measured: a busy machine ends no search
  return options;
}

}  // namespace

// Not on composites: the probe of the cores spins for peers, which are fibers of its thread there.

JOB_TEST(search, exhaustive_measures_all_and_finds_the_least, .on_composite = false) {
  const searched seen = search_all(here, {.of = kind::all_to_all, .bytes = 64}, quick(true));
  if (here.rank() != 0) {
    EXPECT_TRUE(seen.outcome.order.empty());
    return;
  }
  EXPECT_EQ(seen.outcome.order.size(), seen.candidates);
  EXPECT_EQ(seen.reports, seen.candidates);
  EXPECT_EQ(seen.outcome.ended, "all were measured");
  EXPECT_EQ(seen.outcome.found.at.ranks, here.size());
  EXPECT_EQ(seen.outcome.found.at.bytes, 64U);
  const auto least =
      std::min_element(seen.outcome.order.begin(), seen.outcome.order.end(),
                       [](const measured& a, const measured& b) { return a.ns < b.ns; });
  EXPECT_EQ(seen.outcome.found.best().algorithm, least->algorithm);
  for (const measured& each : seen.outcome.order) EXPECT_GT(each.ns, 0) << each.algorithm;
}

JOB_TEST(search, tries_every_collective_with_every_kind_of_problem, .least_ranks = 2,
         .most_ranks = 5, .on_composite = false) {
  for (const std::string_view name : collective::kind_names()) {
    const kind what = collective::kind_named(name);
    if (!can_be_tuned(what)) continue;
    for (const std::uint64_t bytes : {12, 2048}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(bytes));
      problem call{.of = what, .bytes = bytes};

      call.root = here.size() - 1;
      call.commutative = bytes == 12;
      // Ranks that compute do not give way: where they share a core each sample takes time slices.
      call.overlapped = bytes == 12 && host(here).endpoint().describe().virtual_time;
      if (bytes == 2048) {
        call.addresses = schedule::address_mode::single;
        call.entry = schedule::sync_mode::all;
        call.exit = schedule::sync_mode::all;
      }
      search_options options = quick(false);
      options.share = 0.3;
      const searched seen = search_all(here, call, options);
      if (here.rank() != 0) continue;
      EXPECT_GE(seen.outcome.order.size(), 1U) << name;
      EXPECT_LE(seen.outcome.order.size(), seen.candidates) << name;
    }
  }
}

JOB_TEST(search, measures_what_overlapped_calls_leave_of_a_computation, .least_ranks = 2,
         .most_ranks = 2, .on_composite = false) {
  const searched seen =
      search_all(here, {.of = kind::scan, .bytes = 64, .overlapped = true}, quick(true));
  if (here.rank() != 0) return;
  EXPECT_EQ(seen.outcome.order.size(), seen.candidates);
  EXPECT_TRUE(seen.outcome.found.at.overlapped);
}

JOB_TEST(search, ends_by_its_share_and_measures_the_untuned_choice_first, .on_composite = false) {
  search_options options = quick(true);
  options.share = 1e-9;
  const searched seen = search_all(here, {.of = kind::broadcast, .bytes = 4096}, options);
  if (here.rank() != 0) return;
  EXPECT_EQ(seen.outcome.order.size(), 1U);
  EXPECT_EQ(seen.outcome.ended,
            seen.candidates > 1 ? "the share of candidates is used up" : "all were measured");
}

// The cores never hold still for a sample: it must count all the same.
JOB_TEST(search, ends_where_other_programs_take_the_cores, .least_ranks = 2, .most_ranks = 2,
         .on_composite = false) {
  if (host(here).endpoint().describe().virtual_time) return;
  std::vector<std::jthread> others;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    others.emplace_back([](const std::stop_token& end) {
      while (!end.stop_requested()) {
      }
    });
  }
  search_options options = quick(true);
  options.budget_seconds = 120;
  const searched seen = search_all(here, {.of = kind::barrier}, options);
  if (here.rank() != 0) return;
  // On a machine where still others compute, it may end by its budget; samples have counted, too.
  if (seen.outcome.ended == "the budget is used up") {
    EXPECT_GT(seen.outcome.order.size(), 1U);
  } else {
    EXPECT_EQ(seen.outcome.order.size(), seen.candidates);
  }
  for (const measured& each : seen.outcome.order) EXPECT_GT(each.ns, 0) << each.algorithm;
}

JOB_TEST(search, refuses_no_time_and_no_share_at_every_rank, .on_composite = false) {
  search_options options = quick(false);
  options.budget_seconds = 0;
  EXPECT_THROW(search_all(here, {.of = kind::barrier}, options), error);
  options = quick(false);
  options.share = 0;
  EXPECT_THROW(search_all(here, {.of = kind::barrier}, options), error);
  EXPECT_THROW(static_cast<void>(problem_on(here.world(), {.of = kind::many_to_many})), error);
}

JOB_TEST(search, guided_measures_less_and_never_ends_worse_than_it_began, .least_ranks = 8,
         .on_composite = false) {
  const searched seen = search_all(here, {.of = kind::all_to_all, .bytes = 512}, quick(false));
  if (here.rank() != 0) return;
  EXPECT_LT(seen.outcome.order.size(), seen.candidates) << seen.outcome.ended;
  EXPECT_LE(seen.outcome.found.best().ns, seen.outcome.order.front().ns);
}
