// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Benches of collectives: each algorithm that serves, blocking, in completion time and (simulated)
// processor time, as Kumar 2005 separates them; and how much of a nonblocking one computation
// hides.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/collectives.hpp"
#include "bench/floors.hpp"

namespace upwash::bench {

std::vector<std::string> algorithms(const context& c, collective::kind what) {
  if (!c.chosen().algorithm.empty()) return {c.chosen().algorithm};
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call{.what = what, .ranks = c.size(), .known_senders = true};
  call.direct_access = c.here().endpoint().describe().direct_access;
  std::vector<std::string> names;
  for (const collective::algorithm* each : all.of(what)) {
    const collective::selection with{each, model::initial_values(each->is)};
    if (collective::registry::objection(with, call).empty()) names.emplace_back(each->is.name);
  }
  return names;
}

namespace {

constexpr std::array<std::uint64_t, 5> vector_sizes{8, 64, 1024, 16384, 262144};

struct buffers {
  std::vector<double> in;
  std::vector<double> out;
  buffers(std::size_t in_count, std::size_t out_count) : in(in_count, 1), out(out_count, 1) {}
};

/// A row for each algorithm and size; `prepare(bytes)` makes the buffers, `call(buffers, how)`
/// runs.
template <class Prepare, class Call>
void each_algorithm(context& c, collective::kind what, const Prepare& prepare, const Call& call) {
  for (const std::string& name : algorithms(c, what)) {
    for (const std::uint64_t bytes : c.sizes(vector_sizes)) {
      buffers data = prepare(std::max<std::uint64_t>(bytes / sizeof(double), 1));
      const collective_options how{.algorithm = name};
      c.measure({.label = name, .bytes = bytes, .unit = "us"}, timed(c, [&] { call(data, how); }));
    }
  }
}

std::size_t members(const context& c) { return static_cast<std::size_t>(c.size()); }

}  // namespace

void barrier(context& c) {
  const team world = c.here().world();
  const auto central = c.simulated() ? nullptr : std::make_unique<bare_barrier>(c);
  const auto by_hand = c.simulated() ? nullptr : std::make_unique<bare_dissemination>(c);
  c.compare({.label = "control", .bytes = 0, .unit = "us"},
            timed(c, [&] { control::barrier(world); }),
            [&](long iterations) { return central->latency_us(iterations); });
  for (const std::string& name : algorithms(c, collective::kind::barrier)) {
    const collective_options how{.algorithm = name};
    const bool counts = name == "central";
    c.compare({.label = name, .bytes = 0, .unit = "us"},
              timed(c, [&] { upwash::barrier(world, blocking, how); }), [&](long iterations) {
                return counts ? central->latency_us(iterations)
                              : by_hand->latency_us(iterations, 0);
              });
  }
}

void broadcast(context& c) {
  each_algorithm(
      c, collective::kind::broadcast, [](std::size_t n) { return buffers(0, n); },
      [&c](buffers& data, const collective_options& how) {
        upwash::broadcast(c.here().world(), blocking, 0, std::span(data.out), how);
      });
}

void all_gather(context& c) {
  const team world = c.here().world();
  if (c.size() == 2 && !c.simulated()) {
    bare_dissemination by_hand(c);
    buffers data(1, 2);
    c.compare({.label = "small", .bytes = 8, .unit = "us"},
              timed(c,
                    [&] {
                      upwash::all_gather(world, blocking, std::span(data.in), std::span(data.out));
                    }),
              [&](long iterations) { return by_hand.latency_us(iterations, 8); });
  }
  each_algorithm(
      c, collective::kind::all_gather, [&](std::size_t n) { return buffers(n, n * members(c)); },
      [&](buffers& data, const collective_options& how) {
        upwash::all_gather(world, blocking, std::span(data.in), std::span(data.out), how);
      });
}

void all_to_all(context& c) {
  each_algorithm(
      c, collective::kind::all_to_all,
      [&](std::size_t n) { return buffers(n * members(c), n * members(c)); },
      [&](buffers& data, const collective_options& how) {
        upwash::all_to_all(c.here().world(), blocking, std::span(data.in), std::span(data.out),
                           how);
      });
}

void all_reduce(context& c) {
  each_algorithm(
      c, collective::kind::all_reduce, [](std::size_t n) { return buffers(n, n); },
      [&](buffers& data, const collective_options& how) {
        upwash::all_reduce<sum>(c.here().world(), blocking, std::span(data.in), std::span(data.out),
                                how);
      });
}

void scan(context& c) {
  each_algorithm(
      c, collective::kind::scan, [](std::size_t n) { return buffers(n, n); },
      [&](buffers& data, const collective_options& how) {
        upwash::scan<sum>(c.here().world(), blocking, std::span(data.in), std::span(data.out), how);
      });
}

namespace {

/// Computes for that long, with a few looks at the request in between.
void compute_beside(job& here, request& open, duration time) {
  constexpr int looks = 16;
  const duration slice = duration::from_ns(time.ns() / looks);
  for (int i = 0; i < looks; ++i) {
    const duration until = here.now() + slice;
    here.compute(slice);
    while (here.now() < until) {
    }
    static_cast<void>(open.test());
  }
}

/// Nanoseconds of `iterations` calls, each begun by all ranks together.
template <class Call>
double together_ns(context& c, long iterations, const Call& call) {
  duration total;
  for (long i = 0; i < iterations; ++i) {
    control::barrier(c.here().world());
    const duration begin = c.here().now();
    call();
    total += c.here().now() - begin;
  }
  return total.ns() / static_cast<double>(iterations);
}

/// 100 % when the computation hides the whole collective: 1 - (all - computation) / alone.
template <class Start>
auto overlapped(context& c, const Start& start) {
  return [&c, start](long iterations) {
    const double alone = together_ns(c, iterations, [&] { start().wait(); });
    const double all = together_ns(c, iterations, [&] {
      request open = start();
      compute_beside(c.here(), open, duration::from_ns(alone));
      open.wait();
    });
    return std::clamp(100 * (1 - (all - alone) / alone), 0.0, 100.0);
  };
}

}  // namespace

void overlap(context& c) {
  const team world = c.here().world();
  for (const std::uint64_t bytes : c.sizes(std::array<std::uint64_t, 3>{1024, 65536, 1048576})) {
    const std::size_t n = std::max<std::uint64_t>(bytes / sizeof(double), 1);
    buffers data(n * members(c), n * members(c));
    const auto in = std::span<const double>(data.in);
    const auto out = std::span(data.out);
    const auto row = [&](const char* label, const auto& start) {
      c.measure({.label = label, .bytes = bytes, .unit = "%", .more_is_better = true},
                overlapped(c, start));
    };
    row("all-gather", [=] { return upwash::all_gather(world, in.first(n), out); });
    row("all-to-all", [=] { return upwash::all_to_all(world, in, out); });
    row("all-reduce", [=] { return upwash::all_reduce<sum>(world, in.first(n), out.first(n)); });
    row("broadcast", [=] { return upwash::broadcast(world, 0, out.first(n)); });
  }
}

}  // namespace upwash::bench
