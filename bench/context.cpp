// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/reach.hpp"

namespace upwash::bench {
namespace {

constexpr std::size_t words_per_rank = 64;  // eight lines

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

/// Counts the time that a rank spends idle, so that the rest is processor time.
context::context(job& here, std::string_view bench, const options& chosen)
    : here_(here),
      bench_(bench),
      chosen_(chosen),
      simulated_(host(here).endpoint().describe().virtual_time),
      has_floors_(!simulated_ && all_direct(here.world())),
      probe_(here),
      scratch_(allocate(here.world(), words_per_rank * sizeof(std::uint64_t))) {
  if (simulated_) {  // on a real conduit timing each idle would change what is measured
    idles_ = std::make_unique<idle_clock>(here_);
  }
}

context::~context() = default;

double context::idle_seconds() const noexcept { return idles_ ? idles_->total().seconds() : 0; }

std::vector<std::uint64_t> context::sizes(std::span<const std::uint64_t> own) const {
  return chosen_.bytes.empty() ? std::vector(own.begin(), own.end()) : chosen_.bytes;
}

std::uint64_t* context::words(int peer) {
  return local(here_, scratch_.at<std::uint64_t>(peer), words_per_rank);
}

long context::calibrate(measurement value) {
  if (simulated_) return 16;  // virtual time repeats exactly
  for (long iterations = 1;; iterations *= 2) {
    const auto long_enough = [&] {
      control::barrier(here_.world());
      const duration start = here_.now();
      value(iterations);
      std::array<std::uint64_t, 1> enough{rank() == 0 && (here_.now() - start).seconds() >=
                                                             chosen_.sample_seconds / 2};
      control::broadcast_value(here_.world(), 0, enough);
      return enough[0] != 0;
    };
    // Twice, since once it may have been disturbed.
    if (long_enough() && long_enough()) return iterations;
  }
}

void context::collect(const series& what, measurement value, const measurement* floor,
                      double known) {
  const long iterations = calibrate(value);
  const long floor_iterations = floor != nullptr ? calibrate(*floor) : 0;
  std::vector<sample> samples;
  const int wanted = simulated_ ? 1 : chosen_.samples;
  for (int i = 0; i < wanted; ++i) {
    const placement_tag before = probe_.look();
    control::barrier(here_.world());
    cpu_ = 0;
    sample taken{before, value(iterations), known, 0};
    taken.cpu = cpu_;
    const placement_tag between = probe_.look();
    if (floor != nullptr) {
      control::barrier(here_.world());
      taken.floor = (*floor)(floor_iterations);
    }
    const placement_tag after = probe_.look();
    if (before == between && between == after && before != placement_tag::disturbed) {
      samples.push_back(taken);
    }
  }
  if (rank() == 0) print_rows(what, samples, floor != nullptr || known != 0);
  control::barrier(here_.world());
}

void context::compare(const series& what, measurement value, measurement floor) {
  collect(what, value, has_floors_ ? &floor : nullptr);
}

void context::hold_to(double bound, const series& what, measurement value) {
  collect(what, value, nullptr, bound);
}

void context::measure(const series& what, measurement value) { collect(what, value, nullptr); }

void context::print_rows(const series& what, std::span<const sample> samples, bool has_floor) {
  std::map<placement_tag, std::vector<sample>> by_tag;
  for (const sample& each : samples) by_tag[each.tag].push_back(each);
  for (const auto& [tag, group] : by_tag) {
    std::vector<double> values;
    std::vector<double> floors;
    std::vector<double> ratios;
    std::vector<double> cpus;
    for (const sample& each : group) {
      values.push_back(each.value);
      cpus.push_back(each.cpu);
      if (!has_floor) continue;
      floors.push_back(each.floor);
      ratios.push_back(what.more_is_better ? each.floor / each.value : each.value / each.floor);
    }
    row line{what, tag, group.size(), median_of(values)};
    line.min = *std::min_element(values.begin(), values.end());
    line.max = *std::max_element(values.begin(), values.end());
    line.floor = median_of(floors);
    line.ratio = median_of(ratios);
    line.cpu = median_of(cpus);
    print(line);
  }
  if (by_tag.empty()) {
    fmt::print("# {} {} bytes: the cores moved during every sample; run it again\n", what.label,
               what.bytes);
  }
}

void context::print(const row& line) {
  if (chosen_.json) {
    nlohmann::ordered_json out{{"bench", bench_},
                               {"label", line.what.label},
                               {"ranks", size()},
                               {"bytes", line.what.bytes},
                               {"unit", line.what.unit},
                               {"n", line.n},
                               {"median", line.median},
                               {"min", line.min},
                               {"max", line.max},
                               {"floor", line.floor},
                               {"ratio", line.ratio},
                               {"placement", to_string(line.tag)},
                               {"conduit", host(here_).endpoint().describe().name}};
    if (line.cpu > 0) out["cpu"] = line.cpu;
    fmt::print("{}\n", out.dump());
    return;
  }
  if (!printed_header_) {
    printed_header_ = true;
    fmt::print("# upwash bench {}: {} ranks, conduit {}; floor: the bare machine in the same run\n",
               bench_, size(), host(here_).endpoint().describe().name);
    fmt::print("# {:<14} {:>9} {:>6} {:>10} {:>10} {:>10} {:>10} {:>6} {:>8} {:>10} {:>4}\n",
               "What", "Size", "Unit", "Median", "Min", "Max", "Floor", "Ratio", "CPU", "Placement",
               "n");
  }
  fmt::print(
      "{:<16} {:>9} {:>6} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>6.2f} {:>8.3f} {:>10} "
      "{:>4}\n",
      line.what.label.empty() ? bench_ : line.what.label, line.what.bytes, line.what.unit,
      line.median, line.min, line.max, line.floor, line.ratio, line.cpu, to_string(line.tag),
      line.n);
}

}  // namespace upwash::bench
