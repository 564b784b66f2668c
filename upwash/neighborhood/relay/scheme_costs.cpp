// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/scheme_costs.hpp"

#include <algorithm>
#include <cmath>

#include "upwash/neighborhood/relay/estimate.hpp"

namespace upwash::neighborhoods {
namespace {

std::uint64_t picoseconds(double ns) { return static_cast<std::uint64_t>(std::llround(ns * 1000)); }

}  // namespace

std::size_t class_of(std::uint64_t bytes) noexcept {
  const auto found = std::lower_bound(looked_at.begin(), looked_at.end() - 1, bytes);
  return static_cast<std::size_t>(found - looked_at.begin());
}

scheme_costs::scheme_costs(std::span<const std::uint64_t> rounds, int nodes)
    : nodes_(nodes), begins_{0} {
  for (const std::uint64_t each : rounds) begins_.push_back(begins_.back() + each);
  slowest_.resize(2 * begins_.back());
  sums_.resize(begins_.back() + rounds.size());
}

void scheme_costs::add(std::size_t scheme, const laid_out_plan& layout, int rank,
                       const cost_terms& in) {
  const std::size_t latencies = begins_.back();
  const std::size_t begin = begins_[scheme];
  const std::size_t rounds = begins_[scheme + 1] - begin;
  const round_times mine = estimate(layout, rank, rounds, in);
  for (std::size_t i = 0; i < rounds; ++i) {
    std::uint64_t& work = slowest_[begin + i];
    std::uint64_t& latency = slowest_[latencies + begin + i];
    work = std::max(work, picoseconds(mine.work[i]));
    latency = std::max(latency, picoseconds(mine.latency[i]));
    sums_[begin + i] += picoseconds(mine.adapter[i]);
  }
  sums_[latencies + scheme] += layout.plan().sends.size() + layout.plan().receives.size();
}

double scheme_costs::nanoseconds(std::size_t scheme) const {
  double all = 0;
  for (std::size_t i = begins_[scheme]; i < begins_[scheme + 1]; ++i) {
    all += std::max(static_cast<double>(slowest_[i]), static_cast<double>(sums_[i]) / nodes_);
    all += static_cast<double>(slowest_[begins_.back() + i]);
  }
  return all / 1000;
}

std::uint64_t scheme_costs::messages(std::size_t scheme) const {
  return sums_[begins_.back() + scheme];
}

}  // namespace upwash::neighborhoods
