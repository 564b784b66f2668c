// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What it costs, or gains, that algorithms may change while the program runs: the same calls with
// the algorithm that was chosen first, in turn.
#include <algorithm>
#include <array>
#include <vector>

#include "bench/bench.hpp"

namespace upwash::bench {
namespace {

template <class Call>
auto microseconds(context& c, const collective_options& how, const Call& call) {
  return [&c, how, call](long iterations) {
    const duration begin = c.here().now();
    for (long i = 0; i < iterations; ++i) call(how);
    return (c.here().now() - begin).us() / static_cast<double>(iterations);
  };
}

}  // namespace

void adapt(context& c) {
  const team world = c.here().world();
  const auto before = collective::set_adapting(c.here(), collective::adaptation::all);
  const auto in_both = [&](const char* name, std::uint64_t bytes, const auto& call) {
    c.compare({.label = name, .bytes = bytes, .unit = "us"}, microseconds(c, {}, call),
              microseconds(c, {.fixed = true}, call));
  };
  for (const std::uint64_t bytes : c.sizes(std::array<std::uint64_t, 3>{8, 4096, 65536})) {
    const std::size_t n = std::max<std::uint64_t>(bytes / sizeof(double), 1);
    const std::size_t all = n * static_cast<std::size_t>(c.size());
    std::vector<double> in(all, 1);
    std::vector<double> out(all, 1);
    const std::span<const double> from = in;
    const std::span<double> to = out;
    in_both("all-reduce", bytes, [&](const collective_options& how) {
      upwash::all_reduce<sum>(world, blocking, from.first(n), to.first(n), how);
    });
    in_both("all-gather", bytes, [&](const collective_options& how) {
      upwash::all_gather(world, blocking, from.first(n), to, how);
    });
    in_both("all-to-all", bytes, [&](const collective_options& how) {
      upwash::all_to_all(world, blocking, from, to, how);
    });
  }
  collective::set_adapting(c.here(), before);
}

}  // namespace upwash::bench
