// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Benches of collectives: each algorithm that serves, blocking, in completion time and (simulated)
// processor time, as Kumar 2005 separates them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/collectives.hpp"
#include "bench/floors.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::bench {

std::vector<std::string> algorithms(const context& c, collective::kind what) {
  if (!c.chosen().algorithm.empty()) return {c.chosen().algorithm};
  collective::registry all;
  collective::add_algorithms(all);
  collective::problem call{.of = what, .ranks = c.size(), .known_senders = true};
  call.direct_access = all_direct(c.here().world());
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

void reduce(context& c) {
  each_algorithm(
      c, collective::kind::reduce, [](std::size_t n) { return buffers(n, n); },
      [&](buffers& data, const collective_options& how) {
        upwash::reduce<sum>(c.here().world(), blocking, 0, std::span(data.in),
                            std::span(data.out).first(c.rank() == 0 ? data.out.size() : 0), how);
      });
}

void gather(context& c) {
  each_algorithm(
      c, collective::kind::gather,
      [&](std::size_t n) { return buffers(n, c.rank() == 0 ? n * members(c) : 0); },
      [&](buffers& data, const collective_options& how) {
        upwash::gather(c.here().world(), blocking, 0, std::span(data.in), std::span(data.out), how);
      });
}

void scatter(context& c) {
  each_algorithm(
      c, collective::kind::scatter,
      [&](std::size_t n) { return buffers(c.rank() == 0 ? n * members(c) : 0, n); },
      [&](buffers& data, const collective_options& how) {
        upwash::scatter(c.here().world(), blocking, 0, std::span(data.in), std::span(data.out),
                        how);
      });
}

}  // namespace upwash::bench
