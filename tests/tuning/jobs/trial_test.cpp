// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/trial.hpp"

#include <gtest/gtest.h>

#include "upwash/collective/candidates.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;
using collective::kind;

/// What each candidate takes on a simulated machine, over its price.
std::vector<double> ratios(const machine& on, int ranks, kind what, std::uint64_t bytes) {
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = on;
  const auto world = conduit::make_sim_world(options);
  collective::registry algorithms;
  collective::add_algorithms(algorithms);
  const collective::predictor by(on);
  std::vector<double> found;
  run_on(*world, {}, [&](job& here) {
    const auto call = tuning::problem_on(here.world(), {.of = what, .bytes = bytes});
    tuning::trial measures(here.world(), call);
    for (const auto& each : collective::candidates(algorithms, call)) {
      const auto predicted = by.predict(each, call, 1'000'000).time;
      const double ns = measures.time_ns(model::text_of(each.chosen->is, each.with), 1);
      if (here.rank() == 0 && predicted) found.push_back(ns / predicted->ns());
    }
  });
  return found;
}

}  // namespace

/// Who enters late, or sends again when he is done, must not count: measured so, a reduction by a
/// tree of radix 32 took 0.15 of its price, and a chain 1.8 times its price.
TEST(trial, takes_on_a_simulated_machine_what_the_price_says) {
  const machine lemieux = load_machine("lemieux");
  for (const kind what : {kind::reduce, kind::gather, kind::broadcast, kind::all_reduce}) {
    for (const double ratio : ratios(lemieux, 32, what, 64)) {
      EXPECT_GT(ratio, 0.85) << to_string(what);
      EXPECT_LT(ratio, 1.3) << to_string(what);
    }
  }
}
