// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the bench of one-sided operations, and what they share.
#pragma once

#include <array>
#include <cstdint>

#include "bench/bench.hpp"

namespace upwash::bench {

void all_fence(context& c);
void fence_and_barrier(context& c);
void locks(context& c);
void onesided_speed(context& c);
void served(context& c);

/// Keeps a value alive before the optimiser.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// What rank 0 does alone, in ns each time.
template <class Operation>
auto by_rank_zero(context& c, Operation operation) {
  return [&c, operation](long iterations) {
    const duration start = c.here().now();
    if (c.rank() == 0) {
      for (long i = 0; i < iterations; ++i) operation(i);
    }
    const double value = (c.here().now() - start).ns() / static_cast<double>(iterations);
    control::barrier(c.here().world());
    return value;
  };
}

/// Of what all ranks took together, the part of each of `ranks`. Collective.
inline duration mean_of(context& c, duration mine, int ranks) {
  std::array<std::uint64_t, 1> sum{static_cast<std::uint64_t>(mine.ps())};
  control::all_reduce(c.here().world(), sum, control::fold::sum);
  return duration::from_ps(static_cast<std::int64_t>(sum[0]) / ranks);
}

}  // namespace upwash::bench
