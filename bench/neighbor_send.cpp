// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark of Kumar 2005, 3.3.1 (figures 3.15 to 3.17): rank i sends a message to each of
// i+1 .. i+degree, modulo the number of ranks; by every algorithm, personalized and as a multicast.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/collectives.hpp"

namespace upwash::bench {
namespace {

constexpr std::array<std::uint64_t, 2> message_sizes{76, 476};

/// What one rank sends and hears, of one degree.
struct neighbors {
  std::vector<std::uint64_t> to;
  std::vector<std::uint64_t> from;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> offsets;
  std::vector<std::byte> data;
  message_pattern pattern;

  neighbors(const context& c, int degree, std::uint64_t size)
      : data(static_cast<std::size_t>(degree) * size) {
    const auto members = static_cast<std::uint64_t>(c.size());
    const auto me = static_cast<std::uint64_t>(c.rank());
    for (std::uint64_t k = 1; k <= static_cast<std::uint64_t>(degree); ++k) {
      to.push_back((me + k) % members);
      from.push_back((me + members - k % members) % members);
      bytes.push_back(size);
      offsets.push_back((k - 1) * size);
    }
    pattern = {.degree = degree, .bytes = size, .known_sources = from};
  }
};

void count_arrival(int /*source*/, std::span<const std::byte> /*bytes*/, void* context) {
  ++*static_cast<std::uint64_t*>(context);
}

/// The one asked for; else a few from 1 neighbour to all but itself.
std::vector<int> degrees(const context& c) {
  if (c.chosen().degree > 0) return {c.chosen().degree};
  std::vector<int> all;
  for (int degree = 1; degree < c.size() - 1; degree *= 4) all.push_back(degree);
  all.push_back(c.size() - 1);
  return all;
}

}  // namespace

void neighbor_send(context& c) {
  const team world = c.here().world();
  std::uint64_t came = 0;
  const collective::collect_handler taken{count_arrival, &came};
  for (const std::uint64_t size : c.sizes(message_sizes)) {
    for (const int degree : degrees(c)) {
      const neighbors mine(c, degree, size);
      for (const std::string& name : algorithms(c, collective::kind::many_to_many)) {
        const collective_options how{.algorithm = name};
        c.measure({.label = fmt::format("{}/{}", name, degree), .bytes = size, .unit = "us"},
                  timed(c, [&] {
                    many_to_many(world, blocking, mine.data, {mine.to, mine.bytes, mine.offsets},
                                 taken, mine.pattern, how);
                  }));
        c.measure({.label = fmt::format("{}/{}/block", name, degree), .bytes = size, .unit = "us"},
                  timed(c, [&] {
                    many_to_many_multicast(world, blocking, std::span(mine.data).first(size),
                                           mine.to, taken, mine.pattern, how);
                  }));
      }
    }
  }
}

}  // namespace upwash::bench
