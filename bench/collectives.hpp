// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the benches of collectives have in common: which algorithms, and how a call is timed.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::bench {

/// The algorithms to run: the one asked for, or each that serves.
[[nodiscard]] std::vector<std::string> algorithms(const context& c, collective::kind what);

/// Completion time of a call, in us; the processor's part where time is simulated.
template <class Call>
auto timed(context& c, const Call& call) {
  return [&c, call](long iterations) {
    const double idle_before = c.idle_seconds();
    const duration start = c.here().now();
    for (long i = 0; i < iterations; ++i) call();
    const double seconds = (c.here().now() - start).seconds();
    const auto each = 1e6 / static_cast<double>(iterations);
    if (c.simulated()) c.set_cpu((seconds - (c.idle_seconds() - idle_before)) * each);
    return seconds * each;
  };
}

}  // namespace upwash::bench
