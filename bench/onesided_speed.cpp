// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one-sided operations cost on this machine, each beside the same by hand in the same memory.
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "bench/onesided.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/onesided/accumulate.hpp"
#include "upwash/onesided/transfer.hpp"

namespace upwash::bench {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t sum_bytes = std::uint64_t{64} << 10U;
constexpr std::uint64_t runs = 64;
constexpr std::uint64_t run_bytes = 64;
constexpr std::uint64_t stride = 192;  // of runs, at both ends

#if defined(__x86_64__) && !defined(__clang__)
[[gnu::target_clones("avx2", "default")]]
#endif
void add_by_hand(double* y, const double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] += x[i];
}

/// Memory of rank 1, and where loads and stores reach it.
struct place {
  explicit place(context& c, std::uint64_t bytes)
      : area(allocate(c.here().world(), bytes)),
        at(area.at(1 % c.size())),
        direct(local(c.here(), at, bytes)) {}
  region area;
  global_ptr<std::byte> at;
  std::byte* direct;
};

void words(context& c) {
  place there(c, 64);
  const auto at = there.at.as<std::uint64_t>();
  std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(there.direct));
  c.compare(
      {.label = "put", .bytes = 8, .unit = "ns"},
      by_rank_zero(c, [&](long i) { put_value(c.here(), at, static_cast<std::uint64_t>(i)); }),
      by_rank_zero(c, [&](long i) {
        word.store(static_cast<std::uint64_t>(i), std::memory_order_relaxed);
      }));
  c.compare({.label = "get", .bytes = 8, .unit = "ns"},
            by_rank_zero(c, [&](long) { keep(get_value(c.here(), at)); }),
            by_rank_zero(c, [&](long) { keep(word.load(std::memory_order_relaxed)); }));
  c.compare({.label = "fetch-add", .bytes = 8, .unit = "ns"},
            by_rank_zero(c, [&](long) { keep(fetch_add(c.here(), at, 1)); }),
            by_rank_zero(c, [&](long) { keep(word.fetch_add(1)); }));
  free(there.area);
}

void large_put(context& c) {
  place there(c, mebibyte);
  const std::vector<std::byte> from(mebibyte, std::byte{1});
  const auto rate = [&](const auto& copy) {
    return [&c, copy](long iterations) {
      return static_cast<double>(mebibyte) / by_rank_zero(c, copy)(iterations);
    };
  };
  c.compare({.label = "put", .bytes = mebibyte, .unit = "GB/s", .more_is_better = true},
            rate([&](long) { put(c.here(), there.at, from).wait(); }), rate([&](long) {
              std::memcpy(there.direct, from.data(), mebibyte);
              keep(*there.direct);
            }));
  free(there.area);
}

void sums(context& c) {
  place there(c, sum_bytes);
  const std::vector<double> x(sum_bytes / sizeof(double), 1.5);
  const auto to = there.at.as<double>();
  accumulate(c.here(), to, x).wait();  // fetches keys
  c.compare({.label = "accumulate", .bytes = sum_bytes, .unit = "ns"},
            by_rank_zero(c, [&](long) { accumulate(c.here(), to, x).wait(); }),
            by_rank_zero(c, [&](long) {
              add_by_hand(reinterpret_cast<double*>(there.direct), x.data(), x.size());
              keep(*there.direct);
            }));
  free(there.area);
}

/// Runs at even distances, and the same number of them in a list.
void many_runs(context& c) {
  place there(c, runs * stride);
  const std::vector<std::byte> from(runs * stride, std::byte{2});
  const strided rows{run_bytes, 1, {{{runs, stride, stride}}}};
  std::vector<segment> even;
  std::vector<segment> uneven;
  for (std::uint64_t i = 0; i < runs; ++i) {
    even.push_back({i * stride, i * stride, run_bytes});
    uneven.push_back({i * stride, i * stride + 8 * (i % 3), run_bytes});
  }
  const auto by_hand = [&](const std::vector<segment>& list) {
    return by_rank_zero(c, [&](long) {
      for (const segment& each : list) {
        std::memcpy(there.direct + each.remote, from.data() + each.local, run_bytes);
      }
      keep(*there.direct);
    });
  };
  const auto measured = [&](const char* label, const layout& laid,
                            const std::vector<segment>& list) {
    c.compare({.label = label, .bytes = runs * run_bytes, .unit = "ns"},
              by_rank_zero(c, [&](long) { put(c.here(), there.at, from, laid).wait(); }),
              by_hand(list));
  };
  measured("strided put", rows, even);
  measured("even list put", even, even);
  measured("list put", uneven, uneven);
  free(there.area);
}

}  // namespace

void onesided_speed(context& c) {
  // Where memory is not loaded and stored there is nothing by hand to compare with.
  if (c.simulated() || !all_direct(c.here().world())) return;
  words(c);
  large_put(c);
  sums(c);
  many_runs(c);
}

}  // namespace upwash::bench
