// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Benches of remote memory: what a put, get or atomic costs the caller, how long it takes to be
// seen, and bandwidths.
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bench/floors.hpp"
#include "bench/onesided.hpp"

namespace upwash::bench {
namespace {

constexpr std::array<std::uint64_t, 4> transfer_sizes{4096, 65536, 1048576, 4194304};

double gigabytes_per_second(std::uint64_t bytes, double ns) {
  return static_cast<double>(bytes) / ns;
}

/// Private memory in ordinary pages, touched.
struct buffer {
  explicit buffer(std::size_t size) : bytes(size, std::byte{1}) {}
  std::vector<std::byte> bytes;
};

}  // namespace

void put_latency(context& c) {
  region area = allocate(c.here().world(), 4096);
  const auto target = area.at<std::uint64_t>(1 % c.size());
  std::uint64_t* direct = c.simulated() ? nullptr : local(c.here(), target);
  c.compare(
      {.label = "put", .bytes = 8, .unit = "ns"},
      by_rank_zero(c, [&](long i) { put_value(c.here(), target, static_cast<std::uint64_t>(i)); }),
      by_rank_zero(c, [&](long i) {
        std::atomic_ref(*direct).store(static_cast<std::uint64_t>(i), std::memory_order_relaxed);
      }));
  // With acknowledgement: each side waits until the other's put is visible.
  auto& mine = area.mine_as<std::uint64_t>()[8];
  std::uint64_t round = 0;  // kept from call to call: the peer's next put may come early
  const auto acknowledged = [&](long iterations) {
    if (c.rank() > 1) return 0.0;
    const auto there = area.at<std::uint64_t>(1 - c.rank(), 8);
    const duration start = c.here().now();
    for (long i = 0; i < iterations; ++i) {
      ++round;
      if (c.rank() == 0) put_value(c.here(), there, round);
      wait_until(c.here(), mine, conduit::comparison::greater_equal, round);
      if (c.rank() == 1) put_value(c.here(), there, round);
    }
    return (c.here().now() - start).ns() / (2.0 * static_cast<double>(iterations));
  };
  c.compare({.label = "acknowledged", .bytes = 8, .unit = "ns"}, acknowledged,
            [&c](long iterations) { return line_ping_pong_ns(c, iterations); });
}

void put_rate(context& c) {
  region area = allocate(c.here().world(), 4096);
  const auto target = area.at<std::uint64_t>(1 % c.size());
  std::uint64_t* direct = c.simulated() ? nullptr : local(c.here(), target, 512);
  std::vector<std::uint64_t> values(512, 7);
  const auto puts = [&](long iterations) {
    const duration start = c.here().now();
    if (c.rank() == 0) {
      for (long i = 0; i < iterations; ++i) {
        const auto at = static_cast<std::size_t>(i % 512);
        put(c.here(), target + static_cast<std::ptrdiff_t>(at), std::span(values).subspan(at, 1),
            implicit);
      }
      c.here().quiet();
    }
    const double us = (c.here().now() - start).us();
    control::barrier(c.here().world());
    return static_cast<double>(iterations) / us;
  };
  const auto stores = [&](long iterations) {
    const duration start = c.here().now();
    for (long i = 0; c.rank() == 0 && i < iterations; ++i) {
      std::atomic_ref(direct[i % 512])
          .store(values[static_cast<std::size_t>(i % 512)], std::memory_order_relaxed);
    }
    const double us = (c.here().now() - start).us();
    control::barrier(c.here().world());
    return static_cast<double>(iterations) / us;
  };
  c.compare({.label = "", .bytes = 8, .unit = "M/s", .more_is_better = true}, puts, stores);
}

void get_latency(context& c) {
  region area = allocate(c.here().world(), 4096);
  const auto target = area.at<std::uint64_t>(1 % c.size());
  std::uint64_t* direct = c.simulated() ? nullptr : local(c.here(), target);
  c.compare({.label = "", .bytes = 8, .unit = "ns"},
            by_rank_zero(c, [&](long) { keep(get_value(c.here(), target)); }),
            by_rank_zero(
                c, [&](long) { keep(std::atomic_ref(*direct).load(std::memory_order_relaxed)); }));
}

void atomic_latency(context& c) {
  region area = allocate(c.here().world(), 4096);
  const auto target = area.at<std::uint64_t>(1 % c.size());
  std::uint64_t* direct = c.simulated() ? nullptr : local(c.here(), target);
  const auto bare = by_rank_zero(c, [&](long) { keep(std::atomic_ref(*direct).fetch_add(1)); });
  c.compare({.label = "fetch-add", .bytes = 8, .unit = "ns"},
            by_rank_zero(c, [&](long) { keep(fetch_add(c.here(), target, 1)); }), bare);
  const auto swap_bare = by_rank_zero(c, [&](long i) {
    auto expected = static_cast<std::uint64_t>(i);
    keep(std::atomic_ref(*direct).compare_exchange_strong(expected, expected + 1));
  });
  c.compare({.label = "compare-swap", .bytes = 8, .unit = "ns"},
            by_rank_zero(c,
                         [&](long i) {
                           const auto value = static_cast<std::uint64_t>(i);
                           keep(compare_swap(c.here(), target, value, value + 1));
                         }),
            swap_bare);
}

void put_bandwidth(context& c) {
  for (const std::uint64_t bytes : c.sizes(transfer_sizes)) {
    region area = allocate(c.here().world(), bytes);
    buffer source(bytes);
    const auto target = area.at(1 % c.size());
    std::byte* direct = c.simulated() ? nullptr : local(c.here(), target, bytes);
    const auto rate_of = [&c, bytes](const auto& copy) {
      return [&c, bytes, copy](long iterations) {
        return gigabytes_per_second(bytes, by_rank_zero(c, copy)(iterations));
      };
    };
    c.compare({.label = "", .bytes = bytes, .unit = "GB/s", .more_is_better = true},
              rate_of([&](long) { put(c.here(), target, source.bytes).wait(); }),
              rate_of([&](long) {
                std::memcpy(direct, source.bytes.data(), bytes);
                keep(*direct);
              }));
    free(area);
  }
}

void get_bandwidth(context& c) {
  for (const std::uint64_t bytes : c.sizes(transfer_sizes)) {
    region area = allocate(c.here().world(), bytes);
    buffer into(bytes);
    const auto from = area.at(1 % c.size());
    const std::byte* direct = c.simulated() ? nullptr : local(c.here(), from, bytes);
    const auto rate_of = [&c, bytes](const auto& copy) {
      return [&c, bytes, copy](long iterations) {
        return gigabytes_per_second(bytes, by_rank_zero(c, copy)(iterations));
      };
    };
    c.compare({.label = "", .bytes = bytes, .unit = "GB/s", .more_is_better = true},
              rate_of([&](long) { get(c.here(), from, into.bytes).wait(); }), rate_of([&](long) {
                std::memcpy(into.bytes.data(), direct, bytes);
                keep(into.bytes[0]);
              }));
    free(area);
  }
}

void copy_bandwidth(context& c) {
  // Private to private: rank 1 reads what rank 0 exposed; both wait in the barrier between
  // messages, so rank 0 makes progress.
  for (const std::uint64_t bytes : c.sizes(transfer_sizes)) {
    buffer mine(bytes);
    exposed_memory exposed = expose(c.here(), mine.bytes);
    std::vector<exposed_memory> all(static_cast<std::size_t>(c.size()));
    control::all_gather_values(c.here().world(), exposed, std::span(all));
    const auto copies = [&](long iterations) {
      const duration start = c.here().now();
      if (c.rank() == 1) {
        for (long i = 0; i < iterations; ++i) get(c.here(), all[0], 0, mine.bytes).wait();
      }
      control::barrier(c.here().world());
      return gigabytes_per_second(bytes,
                                  (c.here().now() - start).ns() / static_cast<double>(iterations));
    };
    const auto pipeline =
        c.simulated() ? nullptr : std::make_unique<bare_pipeline>(c, mine.bytes.data(), bytes);
    c.compare({.label = "", .bytes = bytes, .unit = "GB/s", .more_is_better = true}, copies,
              [&](long iterations) { return pipeline->bandwidth(iterations); });
    conceal(c.here(), exposed);
  }
}

}  // namespace upwash::bench
