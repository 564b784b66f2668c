// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank of a pipeline sends a segment on while the next ones come: so pipelines run at their
// price.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/harness/worlds.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/runtime/run_on.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;

constexpr int ranks = 13;
constexpr std::size_t bytes = 200'003;
constexpr std::uint64_t eager_bytes = 16 * 1024;

/// Of a broadcast that all begin at the same virtual time; to the last rank's end.
duration run_of(const std::string& algorithm) {
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("edr");
  const auto world = conduit::make_sim_world(options);
  duration latest;
  run_on(*world, {}, [&](job& here) {
    const team all = here.world();
    std::vector<std::byte> data(bytes);
    collective_options how{.algorithm = algorithm};
    how.eager_bytes = eager_bytes;
    broadcast(all, blocking, 0, std::span(data), how);  // the first call makes the plan
    const duration begin = duration::from_us(10'000);
    here.compute(begin - here.now());
    broadcast(all, blocking, 0, std::span(data), how);
    latest = std::max(latest, here.now() - begin);
  });
  return latest;
}

duration price_of(const std::string& algorithm) {
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call;
  call.of = collective::kind::broadcast;
  call.ranks = ranks;
  call.bytes = bytes;
  call.eager_bytes = eager_bytes;
  const machine on = load_machine("edr");
  call.ranks_per_node = std::min(ranks, on.ranks_in(level_kind::node));
  const collective::predictor predicts(on);
  return predicts.predict(all.named(call.of, algorithm), call, 1'000'000).time.value();
}

TEST(pipelines, run_at_their_price) {
  for (const char* algorithm :
       {"chain:segment=4k", "fork:k=2,segment=4k", "knomial:k=2,segment=4k"}) {
    const double price = price_of(algorithm).us();
    const double run = run_of(algorithm).us();
    EXPECT_LT(run, 1.1 * price) << algorithm;
    EXPECT_GT(run, 0.9 * price) << algorithm;
  }
}

}  // namespace
