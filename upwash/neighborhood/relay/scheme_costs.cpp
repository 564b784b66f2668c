// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/scheme_costs.hpp"

#include <algorithm>
#include <cmath>

#include "upwash/neighborhood/relay/estimate.hpp"

namespace upwash::neighborhoods {
namespace {

/// The sweep of neighborhood_best shows no graph on which direct is left wrongly at this gain.
constexpr double enough_gain = 0.75;

std::uint64_t picoseconds(double ns) { return static_cast<std::uint64_t>(std::llround(ns * 1000)); }

}  // namespace

std::size_t class_of(std::uint64_t bytes) noexcept {
  const auto found = std::lower_bound(looked_at.begin(), looked_at.end() - 1, bytes);
  return static_cast<std::size_t>(found - looked_at.begin());
}

scheme_costs::scheme_costs(std::span<const std::uint64_t> rounds, int nodes)
    : nodes_(nodes), rounds_(rounds.begin(), rounds.end()), begins_{0} {
  for (const std::uint64_t each : rounds) {
    begins_.push_back(begins_.back() + each * looked_at.size());
  }
  slowest_.resize(2 * begins_.back());
  adapters_.resize(begins_.back());
}

void scheme_costs::add(std::size_t scheme, const relay_plan& plan, int rank, const placement& nodes,
                       const machine& on) {
  const std::size_t latencies = begins_.back();
  for (std::size_t size = 0; size < looked_at.size(); ++size) {
    const round_times mine = estimate(plan, rank, looked_at[size], rounds_[scheme], nodes, on);
    for (std::size_t i = 0; i < rounds_[scheme]; ++i) {
      const std::size_t at = begins_[scheme] + size * rounds_[scheme] + i;
      slowest_[at] = std::max(slowest_[at], picoseconds(mine.work[i]));
      slowest_[latencies + at] = std::max(slowest_[latencies + at], picoseconds(mine.latency[i]));
      adapters_[at] += picoseconds(mine.adapter[i]);
    }
  }
}

double scheme_costs::nanoseconds(std::size_t scheme, std::size_t size) const {
  const std::size_t begin = begins_[scheme] + size * rounds_[scheme];
  double all = 0;
  for (std::size_t i = begin; i < begin + rounds_[scheme]; ++i) {
    all += std::max(static_cast<double>(slowest_[i]), static_cast<double>(adapters_[i]) / nodes_);
    all += static_cast<double>(slowest_[begins_.back() + i]);
  }
  return all / 1000;
}

std::size_t scheme_costs::best(std::size_t size) const {
  std::size_t found = 0;
  for (std::size_t i = 1; i < rounds_.size(); ++i) {
    const double limit = nanoseconds(found, size) * (found == 0 ? enough_gain : 1);
    if (nanoseconds(i, size) < limit) found = i;
  }
  return found;
}

}  // namespace upwash::neighborhoods
