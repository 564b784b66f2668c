// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PHOLD by windows against one event after the other in the order of time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "apps/phold/process.hpp"

namespace phold {
namespace {

/// Without windows: what happens next anywhere happens.
outcome run_in_order(const model& of) {
  std::vector<process> all;
  for (std::int32_t i = 0; i < of.processes; ++i) all.emplace_back(of, i);
  for (;;) {
    const auto next = std::ranges::min_element(all, {}, &process::next_time);
    if (next->next_time() >= of.end) break;
    const event made = next->happen(of);
    all[static_cast<std::size_t>(made.at)].take(made);
  }
  outcome done;
  for (const process& each : all) {
    done.events += each.happened();
    done.mark += each.mark();
  }
  return done;
}

TEST(phold, windows_change_nothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const model of{7, 3, 0.8, 0.1 * static_cast<double>(seed), 0.5, 12, seed};
    const outcome windows = run_serially(of);
    const outcome order = run_in_order(of);
    EXPECT_GT(windows.windows, 1);
    EXPECT_GT(windows.events, 21U);
    EXPECT_EQ(windows.events, order.events);
    EXPECT_EQ(windows.mark, order.mark) << "seed " << seed;
  }
}

TEST(phold, the_seed_decides) {
  model of;
  const outcome one = run_serially(of);
  EXPECT_EQ(one, run_serially(of));
  of.seed = 2;
  EXPECT_NE(one.mark, run_serially(of).mark);
}

}  // namespace
}  // namespace phold
