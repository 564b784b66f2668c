// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nonblocking collectives: how much of one computation hides, and many in flight at once.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "bench/bench.hpp"
#include "upwash/collective/choice.hpp"
#include "upwash/tuning/beside.hpp"

namespace upwash::bench {
namespace {

/// Nanoseconds of a call that all ranks begin together; `call` says what of it does not count.
template <class Call>
double together_ns(context& c, long iterations, const Call& call) {
  duration total;
  for (long i = 0; i < iterations; ++i) {
    control::barrier(c.here().world());
    const duration begin = c.here().now();
    const duration aside = call();
    total += c.here().now() - begin - aside;
  }
  return total.ns() / static_cast<double>(iterations);
}

/// 100 % when nothing is left of the collective beside the computation and the looks:
/// 1 - (all - computation) / alone, as OSU's benchmarks have it.
template <class Start>
auto overlapped(context& c, int looks, const Start& start) {
  return [&c, looks, start](long iterations) {
    const double alone = together_ns(c, iterations, [&] {
      start(0).wait();
      return duration();
    });
    const double left = together_ns(c, iterations, [&] {
      request open = start(0);
      const duration computed =
          tuning::compute_beside(c.here(), open, duration::from_ns(alone), looks);
      open.wait();
      return computed;
    });
    return std::clamp(100 * (1 - left / alone), 0.0, 100.0);
  };
}

constexpr int most_in_flight = 16;

/// How many times as fast as one after the other.
template <class Start>
auto in_flight(context& c, const Start& start) {
  return [&c, start](long iterations) {
    const double in_turn = together_ns(c, iterations, [&] {
      for (int i = 0; i < most_in_flight; ++i) start(i).wait();
      return duration();
    });
    const double together = together_ns(c, iterations, [&] {
      std::array<request, most_in_flight> open;
      for (int i = 0; i < most_in_flight; ++i) open[static_cast<std::size_t>(i)] = start(i);
      for (request& each : open) each.wait();
      return duration();
    });
    return in_turn / together;
  };
}

/// What computation can hide of a collective at most, in %, by the prices of the machine that its
/// algorithm is chosen for: 1 - busy / completion. 0: it has no price.
double bound_of(context& c, collective::kind what, std::size_t elements) {
  const auto expected = collective::expected_time_of(
      c.here().world(),
      {.what = {.of = what, .bytes = elements * sizeof(double), .element_bytes = sizeof(double)}});
  if (!expected) return 0;
  return std::clamp(100 * (1 - expected->busy.ns() / expected->completion.ns()), 0.0, 100.0);
}

/// Gives `use` each collective by name with a function that starts its i-th instance, and its
/// bound.
template <class Use>
void each_collective(context& c, std::uint64_t bytes, int instances, const Use& use) {
  const team world = c.here().world();
  const std::size_t n = std::max<std::uint64_t>(bytes / sizeof(double), 1);
  const std::size_t all = n * static_cast<std::size_t>(c.size());
  std::vector<double> in(all, 1);
  std::vector<double> out(all * static_cast<std::size_t>(instances), 1);
  const std::span<const double> from = in;
  const auto to = [&out, all](int i) {
    return std::span(out).subspan(static_cast<std::size_t>(i) * all, all);
  };
  using collective::kind;
  use("all-gather", bound_of(c, kind::all_gather, n),
      [=](int i) { return upwash::all_gather(world, from.first(n), to(i)); });
  use("all-to-all", bound_of(c, kind::all_to_all, n),
      [=](int i) { return upwash::all_to_all(world, from, to(i)); });
  use("all-reduce", bound_of(c, kind::all_reduce, n),
      [=](int i) { return upwash::all_reduce<sum>(world, from.first(n), to(i).first(n)); });
  use("broadcast", bound_of(c, kind::broadcast, n),
      [=](int i) { return upwash::broadcast(world, 0, to(i).first(n)); });
}

}  // namespace

void overlap(context& c) {
  for (const std::uint64_t bytes :
       c.sizes(std::array<std::uint64_t, 4>{1024, 16384, 262144, 1048576})) {
    for (const int looks : {16, 0}) {
      each_collective(c, bytes, 1, [&](const char* name, double bound, const auto& start) {
        const std::string label = fmt::format("{}, {} looks", name, looks);
        c.hold_to(bound, {.label = label, .bytes = bytes, .unit = "%", .more_is_better = true},
                  overlapped(c, looks, start));
      });
    }
  }
}

void many_in_flight(context& c) {
  for (const std::uint64_t bytes : c.sizes(std::array<std::uint64_t, 4>{8, 1024, 16384, 262144})) {
    each_collective(
        c, bytes, most_in_flight, [&](const char* name, double /*bound*/, const auto& start) {
          c.measure({.label = name, .bytes = bytes, .unit = "x", .more_is_better = true},
                    in_flight(c, start));
        });
  }
}

}  // namespace upwash::bench
