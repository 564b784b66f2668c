// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/matching_patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "upwash/base/random.hpp"

namespace upwash::bench {
namespace {

using matching::envelope;
using matching::side;
using order = std::vector<std::uint32_t>;

constexpr std::uint64_t seed = 2019;

order forward(std::size_t n) {
  order all(n);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

order reverse(std::size_t n) {
  order all = forward(n);
  std::reverse(all.begin(), all.end());
  return all;
}

/// From the middle outwards, to both sides in turn (figure 6.6).
order middle(std::size_t n) {
  order all;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t step = (i + 1) / 2;
    all.push_back(static_cast<std::uint32_t>(i % 2 == 0 ? n / 2 + step : n / 2 - step));
  }
  return all;
}

order shuffled(std::size_t n, std::uint64_t stream) {
  order all = forward(n);
  random_stream draw(seed, stream);
  for (std::size_t i = n; i > 1; --i) std::swap(all[i - 1], all[draw.below(i)]);
  return all;
}

/// Messages in the order in which their receives are posted, and the order in which they come.
/// On the unexpected side they come first, in this order, and receives are posted in the other.
workload put_together(std::string_view pattern, side on, std::vector<envelope> messages,
                      const order& then, double wild) {
  workload w;
  w.pattern = pattern;
  w.on = on;
  w.wild = wild;
  for (const auto& m : messages) {
    w.sources = std::max(w.sources, static_cast<std::uint32_t>(m.source) + 1);
  }
  w.shape.profile.assign(w.sources, 0);
  for (const auto& m : messages) ++w.shape.profile[static_cast<std::size_t>(m.source)];
  w.shape.ranks = static_cast<int>(w.sources);
  w.inserted = std::move(messages);
  for (const std::uint32_t i : then) w.sought.push_back(w.inserted[i]);
  random_stream draw(seed, 1);
  auto& receives = on == side::posted ? w.inserted : w.sought;
  for (auto& r : receives) {
    if (draw.fraction() < wild) r.source = matching::any_source;
  }
  return w;
}

std::int32_t number(std::size_t i) { return static_cast<std::int32_t>(i); }

/// Every source sends `each` messages, one source after the other.
std::vector<envelope> from_each(std::uint32_t sources, std::uint32_t each, std::uint32_t kind = 0) {
  std::vector<envelope> all;
  for (std::uint32_t s = 0; s < sources; ++s) {
    for (std::uint32_t m = 0; m < each; ++m) {
      all.push_back({kind != 0 ? 1U : 0U, number(s), number(s * each + m), kind});
    }
  }
  return all;
}

}  // namespace

std::span<const std::string_view> search_orders() {
  static constexpr std::array<std::string_view, 4> names{"last", "forward", "middle", "reverse"};
  return names;
}

workload search(std::string_view name, side on, std::uint32_t depth, std::uint32_t sources,
                double wild) {
  std::vector<envelope> messages;
  for (std::uint32_t i = 0; i < depth; ++i) {
    messages.push_back({0, number(i % sources), number(i), 0});
  }
  const order then = name == "reverse"     ? reverse(depth)
                     : name == "middle"    ? middle(depth)
                     : name == "last"      ? order(64, depth - 1)
                     : name == "last_cold" ? order(1, depth - 1)
                                           : forward(depth);
  workload w = put_together(name, on, std::move(messages), then, wild);
  w.cold = name == "last_cold";
  w.cycle = name == "last" || w.cold;
  return w;
}

std::span<const std::string_view> applications() {
  static constexpr std::array<std::string_view, 6> names{"fan_in",    "halos", "faces",
                                                         "particles", "radix", "all_gather"};
  return names;
}

workload application(std::string_view name, side on, std::uint32_t ranks, double wild) {
  const auto neighbours = [ranks](std::uint32_t n) { return std::min(n, ranks); };
  std::vector<envelope> messages;
  if (name == "fan_in") {
    messages = from_each(ranks, 1);
  } else if (name == "halos") {
    messages = from_each(neighbours(26), 4);  // four levels of the multigrid at once
  } else if (name == "faces") {
    messages = from_each(neighbours(26), 12);
  } else if (name == "particles") {
    messages = from_each(neighbours(6), 2);
  } else if (name == "radix") {
    const auto rounds = static_cast<std::uint32_t>(std::bit_width(ranks - 1));
    messages = from_each(rounds, 1, matching::collective_kind(1, 1024, ranks));
  } else {
    messages = from_each(ranks, 1, matching::collective_kind(2, 64, ranks));
  }
  const order then = shuffled(messages.size(), 2);
  workload w = put_together(name, on, std::move(messages), then, wild);
  w.shape.ranks = static_cast<int>(ranks);
  return w;
}

workload groups(std::uint32_t clustering) {
  constexpr std::uint32_t members = 8;
  constexpr std::array<std::uint32_t, 4> sends{2, 10, 50, 100};
  // The queue of the small, medium, large and very large group (table 3.1).
  constexpr std::array<std::array<std::uint64_t, 4>, 9> queue{{{0, 0, 0, 0},
                                                               {0, 0, 1, 1},
                                                               {0, 1, 0, 1},
                                                               {0, 1, 1, 0},
                                                               {0, 0, 0, 1},
                                                               {1, 0, 0, 0},
                                                               {0, 0, 1, 0},
                                                               {0, 1, 0, 0},
                                                               {0, 1, 2, 3}}};
  std::vector<envelope> messages;
  for (std::uint32_t round = 0; round < sends.back(); ++round) {
    for (std::uint32_t s = 0; s < 4 * members; ++s) {
      if (round < sends[s / members]) messages.push_back({0, number(s), number(round), 0});
    }
  }
  const order then = reverse(messages.size());
  workload w = put_together("groups", side::unexpected, std::move(messages), then, 0);
  w.pattern = "groups_clustering_" + std::to_string(clustering);
  // A profile whose clusters are these: K-means of well separated numbers.
  for (std::uint32_t s = 0; s < 4 * members; ++s) {
    w.shape.profile[s] = 1000 * queue[clustering][s / members];
  }
  w.shape.clusters = clustering == 8 ? 4 : clustering == 0 ? 1 : 2;
  return w;
}

}  // namespace upwash::bench
