// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The papers' benchmarks of streams: ns of an item, of the slowest rank. On sim a sample is one
// run in virtual time; --algorithm names one setting, --bytes the sizes.
#include <fmt/format.h>

#include "bench/stream_common.hpp"
#include "bench/stream_patterns.hpp"

namespace upwash::bench {
namespace {

/// What travels with every short message of Charm++ (Kumar 2005, 5.7.1) unless it is packed.
constexpr std::size_t envelope_bytes = 100;
constexpr std::size_t short_bytes = 16;

/// Fixed settings have an effective buffer of 10 kB, as in Narayanan 2020, 5.2.
std::vector<item_setting> grids(const context& c) {
  std::vector<item_setting> all = settings_of(c, {"direct", "1d", "2d", "3d", "auto"});
  if (!c.chosen().algorithm.empty()) return all;
  for (item_setting& each : all) {
    if (each.options.dimensions != 0) each.options = paper_buffers(each.options);
  }
  return all;
}

using partners_of = std::vector<int> (*)(const team&);
using pattern_time = duration (*)(const team&, const item_setting&, const std::vector<int>&,
                                  item_load);

/// ns of an item that a rank pushes; `least`: items to a partner, and what calibration multiplies.
void item_time(context& c, const series& what, const item_setting& how, pattern_time pattern,
               partners_of partners, item_load least) {
  const team world = c.here().world();
  const std::vector<int> to = partners(world);
  c.measure(what, [&](long n) {
    const item_load load{least.count * static_cast<std::uint64_t>(n), least.bytes};
    return pattern(world, how, to, load).ns() / static_cast<double>(load.count * to.size());
  });
}

void item_times(context& c, pattern_time pattern, partners_of partners, std::uint64_t least,
                std::span<const std::uint64_t> sizes) {
  for (const std::uint64_t bytes : c.sizes(sizes)) {
    for (const item_setting& how : grids(c)) {
      item_time(c, {how.name, bytes, "ns", false}, how, pattern, partners, {least, bytes});
    }
  }
}

/// The same stream with buffers of so many items.
item_setting with_bucket(item_setting how, std::uint64_t items, std::size_t bytes) {
  constexpr std::size_t length_bytes = sizeof(std::uint32_t);
  // Sent at half, or the cutoff, which is the other half, would leave no item to combine.
  how.options.buffer_bytes = 2 * items * (bytes + length_bytes);
  how.options.threshold = 0.5;
  how.options.cutoff = 0.5;
  return how;
}

constexpr std::uint64_t message_sizes[] = {16, 50, 100, 200, 400, 700, 1000, 1400};

}  // namespace

void stream_two_way(context& c) { item_times(c, &one_way_time, &facing, 1000, message_sizes); }

void stream_acknowledged(context& c) {
  item_times(c, &acknowledged_time, &facing, acknowledged_state::batch, message_sizes);
}

void stream_synthetic(context& c) {
  constexpr std::uint64_t sizes[] = {100};
  item_times(c, &acknowledged_time, &all_others, acknowledged_state::batch, sizes);
}

void stream_neighbors(context& c) {
  constexpr std::uint64_t sizes[] = {100};
  item_times(c, &one_way_time, &cube_neighbours, 16, sizes);
}

void stream_ring(context& c) {
  constexpr std::uint64_t buckets[] = {1, 5, 50, 500};
  const item_setting direct = parse_setting("direct");
  const item_setting stream = parse_setting("1d");
  const auto time = [&c](const std::string& label, const item_setting& how, std::size_t bytes) {
    item_time(c, {label, bytes, "ns", false}, how, &one_way_time, &behind, {500, bytes});
  };
  time("direct", direct, envelope_bytes + short_bytes);
  for (const std::uint64_t bucket : buckets) {
    constexpr std::size_t whole = envelope_bytes + short_bytes;
    time(fmt::format("streaming {}", bucket), with_bucket(stream, bucket, whole), whole);
    time(fmt::format("packing {}", bucket), with_bucket(stream, bucket, short_bytes), short_bytes);
  }
}

/// k short messages from each rank to each other; --bytes is their number.
void stream_all_to_all(context& c) {
  constexpr std::uint64_t numbers[] = {1, 2, 4, 10, 50};
  const team world = c.here().world();
  const std::vector<int> others = all_others(world);
  for (const std::uint64_t k : c.sizes(numbers)) {
    for (const item_setting& how : grids(c)) {
      c.measure({fmt::format("{} k", how.name), k, "ns", false}, [&](long n) {
        const long times = c.simulated() ? 1 : n;  // virtual time repeats exactly
        duration spent;
        for (long i = 0; i < times; ++i) {
          spent += one_way_time(world, how, others, {k, short_bytes});
        }
        return spent.ns() / static_cast<double>(k * others.size()) / static_cast<double>(times);
      });
    }
  }
}

/// Phases of so many items to each other rank: what sets itself beside the best of fixed settings.
void stream_auto(context& c) {
  constexpr std::uint64_t sizes[] = {8, 64, 1000};
  const team world = c.here().world();
  const std::vector<int> others = all_others(world);
  std::vector<item_setting> fixed;
  for (const int dimensions : {1, 2, 3}) {
    for (const std::size_t buffer : {512, 2048, 8192}) {
      item_setting& made = fixed.emplace_back();
      made.options.dimensions = dimensions;
      made.options.buffer_bytes = buffer;
      made.name = fmt::format("{}d,buffer={}", dimensions, buffer);
    }
  }
  for (const std::uint64_t items : {1, 8, 64}) {
    for (const std::uint64_t bytes : c.sizes(sizes)) {
      const item_load load{items, bytes};
      const auto us = [&](const item_setting& how) {
        return phase_time(world, how, others, load).us();
      };
      const item_setting* best = nullptr;
      double least = 0;
      for (const item_setting& each : fixed) {
        const double time = us(each);  // the same at all ranks
        if (best == nullptr || time < least) {
          best = &each;
          least = time;
        }
      }
      const auto row = [&](const item_setting& how) {
        c.measure({fmt::format("{} x {}", items, how.name), bytes, "us", false},
                  [&](long /*n*/) { return us(how); });
      };
      row(*best);
      row(parse_setting("auto"));
    }
  }
}

}  // namespace upwash::bench
