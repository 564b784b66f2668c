// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/partitions/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace upwash::matching {
namespace {

/// Indices by number of entries, few first; equal ones as they stand.
std::vector<std::uint32_t> ascending(std::span<const std::uint64_t> entries) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return entries[a] < entries[b]; });
  return order;
}

/// The value of nearest rank p (0 < p <= 1) of `entries`, sorted, after `zeros` zeros.
double nearest_rank(std::span<const std::uint64_t> sorted, std::uint64_t zeros, double p) {
  const double all = static_cast<double>(sorted.size() + zeros);
  const auto rank = static_cast<std::uint64_t>(std::ceil(p * all));
  return rank <= zeros ? 0.0 : static_cast<double>(sorted[rank - zeros - 1]);
}

std::uint32_t nearest_mean(const std::vector<double>& means, double value) {
  std::uint32_t best = 0;
  for (std::uint32_t c = 1; c < means.size(); ++c) {
    if (std::abs(means[c] - value) < std::abs(means[best] - value)) best = c;
  }
  return best;
}

/// Numbers without gaps, in the order of first use.
void close_gaps(std::vector<std::uint32_t>& cluster, std::uint32_t k) {
  std::vector<std::uint32_t> name(k, k);
  std::uint32_t used = 0;
  for (auto& c : cluster) {
    if (name[c] == k) name[c] = used++;
    c = name[c];
  }
}

}  // namespace

std::vector<std::uint32_t> cluster_by_sum(std::span<const std::uint64_t> entries) {
  std::vector<std::uint32_t> cluster(entries.size(), 0);
  if (entries.empty()) return cluster;
  double sum = 0;
  double squares = 0;
  for (const auto each : entries) {
    sum += static_cast<double>(each);
    squares += static_cast<double>(each) * static_cast<double>(each);
  }
  const double n = static_cast<double>(entries.size());
  const double average = sum / n;
  const double deviation = std::sqrt(std::max(0.0, squares / n - average * average));
  std::uint32_t current = 0;
  double total = 0;
  for (const std::uint32_t i : ascending(entries)) {
    cluster[i] = current;
    total += static_cast<double>(entries[i]);
    if (total > average + deviation) {
      ++current;
      total = 0;
    }
  }
  return cluster;
}

std::vector<std::uint32_t> cluster_by_means(std::span<const std::uint64_t> entries,
                                            std::uint32_t k) {
  std::vector<std::uint32_t> cluster(entries.size(), 0);
  if (entries.empty() || k <= 1) return cluster;
  const auto order = ascending(entries);
  std::vector<double> means(k);
  for (std::uint32_t c = 0; c < k; ++c) {
    means[c] = static_cast<double>(entries[order[(2 * c + 1) * entries.size() / (2 * k)]]);
  }
  constexpr int most_steps = 100;
  for (int step = 0; step < most_steps; ++step) {
    std::vector<double> sums(k, 0);
    std::vector<std::uint64_t> members(k, 0);
    bool moved = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t best = nearest_mean(means, static_cast<double>(entries[i]));
      moved = moved || best != cluster[i];
      cluster[i] = best;
      sums[best] += static_cast<double>(entries[i]);
      ++members[best];
    }
    if (!moved && step > 0) break;
    for (std::uint32_t c = 0; c < k; ++c) {
      if (members[c] > 0) means[c] = sums[c] / static_cast<double>(members[c]);
    }
  }
  close_gaps(cluster, k);
  return cluster;
}

double edge_point(std::span<const std::uint64_t> entries, std::uint64_t population,
                  const shape& by) {
  const std::uint64_t zeros = population > entries.size() ? population - entries.size() : 0;
  if (entries.size() + zeros == 0) return 0;
  if (by.metric == edge_metric::average) {
    const auto sum = std::accumulate(entries.begin(), entries.end(), std::uint64_t{0});
    return static_cast<double>(sum) / static_cast<double>(entries.size() + zeros);
  }
  std::vector<std::uint64_t> sorted(entries.begin(), entries.end());
  std::sort(sorted.begin(), sorted.end());
  if (by.metric == edge_metric::median) return nearest_rank(sorted, zeros, 0.5);
  const double q1 = nearest_rank(sorted, zeros, 0.25);
  const double q3 = nearest_rank(sorted, zeros, 0.75);
  return q3 + by.alpha * (q3 - q1);
}

std::vector<std::uint64_t> select_partners(std::vector<counted_key> counted,
                                           std::uint64_t population, const shape& by,
                                           std::size_t most) {
  std::vector<std::uint64_t> entries;
  entries.reserve(counted.size());
  for (const auto& each : counted) entries.push_back(each.entries);
  const double edge = edge_point(entries, population, by);
  std::erase_if(counted, [edge](const counted_key& each) {
    return static_cast<double>(each.entries) <= edge;
  });
  std::sort(counted.begin(), counted.end(), [](const counted_key& a, const counted_key& b) {
    return a.entries != b.entries ? a.entries > b.entries : a.key < b.key;
  });
  if (counted.size() > most) counted.resize(most);
  std::vector<std::uint64_t> partners;
  partners.reserve(counted.size());
  for (const auto& each : counted) partners.push_back(each.key);
  return partners;
}

perfect_hash::perfect_hash(std::span<const std::uint64_t> keys) {
  if (keys.empty()) return;
  const std::uint64_t largest = *std::max_element(keys.begin(), keys.end());
  while (side_ * side_ <= largest) ++side_;
  std::vector<std::vector<std::size_t>> rows(largest / side_ + 1);
  for (std::size_t i = 0; i < keys.size(); ++i) rows[keys[i] / side_].push_back(i);
  slide_.assign(rows.size(), 0);
  // Full rows first: they are the hardest to place.
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a].size() > rows[b].size(); });
  for (const std::size_t row : order) {
    const auto taken = [&](std::size_t i) {
      const std::uint64_t at = slide_[row] + keys[i] % side_;
      return at < cells_.size() && cells_[at].index >= 0;
    };
    while (std::any_of(rows[row].begin(), rows[row].end(), taken)) ++slide_[row];
    for (const std::size_t i : rows[row]) {
      const std::uint64_t at = slide_[row] + keys[i] % side_;
      if (at >= cells_.size()) cells_.resize(at + 1);
      cells_[at] = {keys[i], static_cast<std::int64_t>(i)};
    }
  }
}

}  // namespace upwash::matching
