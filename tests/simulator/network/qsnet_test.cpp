// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// QsNet as Kumar 2005 met it: bandwidth that falls with distance (table 2.8, figures 4.3 and 4.4)
// and the order of the strategies of all-to-all multicast (table 4.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/exchange.hpp"

namespace {

using namespace upwash::simulator;  // NOLINT(google-build-using-namespace)
using upwash::model::topology;

constexpr std::uint64_t message = 9600;  ///< 30 packets: longer ones have the same bandwidth

std::unique_ptr<const topology> lemieux(int nodes, const std::string& missing = "",
                                        const std::string& routing = "deterministic") {
  const std::string text = "fat-tree:arity=4,levels=" + std::to_string(nodes > 64 ? 4 : 3) +
                           ",nodes=" + std::to_string(nodes) +
                           (missing.empty() ? "" : ",missing=" + missing);
  return upwash::model::make_topology(upwash::model::parse_topology(text), routing);
}

network_parameters main_memory() {
  network_parameters with = qsnet_parameters();
  with.nic_ps_per_byte = 8333;  // 120 MB/s each way: PCI with traffic both ways
  return with;
}

double cyclic(const topology& on, int k, const network_parameters& with = qsnet_parameters()) {
  const int nodes = on.nodes();
  return exchange(on, with, message, [&](int p) { return (p + k) % nodes; })
      .both_ways_mb_s(message);
}

double prefix(const topology& on, int k, const network_parameters& with = qsnet_parameters()) {
  return exchange(on, with, message, [&](int p) { return p ^ k; }).both_ways_mb_s(message);
}

TEST(qsnet, table_2_8_bandwidth_falls_with_the_size_of_the_tree) {
  const std::vector<std::pair<int, double>> measured{{4, 300}, {16, 292}, {64, 267}, {256, 233}};
  for (const auto& [nodes, mb_s] : measured) {
    EXPECT_NEAR(prefix(*lemieux(256), nodes / 2) / 2, mb_s, 0.05 * mb_s) << nodes;
  }
}

TEST(qsnet, figures_4_3_and_4_4_prefix_send_keeps_its_bandwidth_by_distance) {
  const auto on = lemieux(256);
  for (const int k : {1, 3, 4, 7, 15}) EXPECT_NEAR(prefix(*on, k), 610, 12) << k;
  for (const int k : {16, 17, 32, 63}) EXPECT_NEAR(prefix(*on, k), 534, 11) << k;
  for (const int k : {64, 100, 128, 255}) EXPECT_NEAR(prefix(*on, k), 470, 10) << k;
}

/// Published: the shifts of lemma 6 reach 560 to 580 MB/s, the others less. With up-routing by the
/// source's digits nobody waits for more than its own acknowledgements, whatever the shift: all are
/// as fast as the farthest prefix-send, and none stands out (docs/papers.md: differs).
TEST(qsnet, figures_4_3_and_4_4_no_peaks_of_the_cyclic_shifts_by_deterministic_ways) {
  const auto small = lemieux(64);
  const double far_64 = prefix(*small, 32);
  for (const int k : {1, 2, 5, 8, 13, 16, 21, 32, 33, 47, 48}) {
    EXPECT_NEAR(cyclic(*small, k), far_64, 0.02 * far_64)
        << k << "; mend the row if there are peaks now";
  }
  const auto large = lemieux(256);
  const double far_256 = prefix(*large, 128);
  for (const int k : {1, 2, 5, 16, 21, 32, 48, 64, 101, 128}) {
    EXPECT_NEAR(cyclic(*large, k), far_256, 0.03 * far_256) << k;
  }
}

/// With up-routing that chooses as it goes, only the shifts of lemma 6 stand out among their
/// neighbours, as published; but prefix-send, which is to be ahead of all, falls with them.
TEST(qsnet, figure_4_3_has_peaks_only_where_lemma_6_has_them) {
  const auto on = lemieux(64, "", "adaptive");
  for (int k = 8; k <= 44; k += 4) {
    const bool of_lemma = k <= 16 || k == 32;
    const double beside = std::max(cyclic(*on, k - 1), cyclic(*on, k + 1));
    if (of_lemma) {
      EXPECT_GT(cyclic(*on, k), 1.05 * beside) << k;
    } else {
      EXPECT_LT(cyclic(*on, k), 1.05 * beside) << k;
    }
  }
  for (const int k : {4, 16}) {  // published: 610 and 534
    EXPECT_LT(prefix(*on, k), 0.85 * prefix(*lemieux(64), k))
        << k << "; mend the row if prefix-send keeps its bandwidth now";
  }
}

TEST(qsnet, figures_4_3_and_4_4_contention_does_not_matter_from_main_memory) {
  const auto on = lemieux(64, "", "adaptive");
  for (const int k : {1, 5, 8, 16, 21, 33, 48}) {
    EXPECT_NEAR(cyclic(*on, k, main_memory()), 240, 18) << k;
  }
}

/// Times put together from phases, each alone on the packet network, as if a barrier came after
/// each message (section 4.4), with alpha = 11 us and copies into NIC memory. Schedules that run
/// through the same network do not reach this (docs/papers.md: differs).
class strategies {
 public:
  strategies(int nodes, const std::string& missing) : on_(lemieux(nodes, missing)), nodes_(nodes) {}

  [[nodiscard]] double k_prefix() const {
    double time = 0;
    for (int i = 1; i < k; ++i) time += phase([&](int p) { return p ^ i; });
    return both_ways((time + next_partition()) * nodes_ / k + copies());
  }
  [[nodiscard]] double k_shift() const {
    double time = 0;
    for (const int by : {-4, -3, -2, -1, 1, 2, 3}) {
      time += phase([&](int p) { return (p + by + nodes_) % nodes_; });
    }
    return both_ways((time + next_partition()) * nodes_ / k + copies());
  }
  [[nodiscard]] double prefix_send() const {
    const int step = std::getenv("UPWASH_TEST_LONG") != nullptr ? 1 : 5;
    double time = bytes / nic_rate;
    for (int i = 1; i < nodes_; i += step) time += step * phase([&](int p) { return p ^ i; });
    return both_ways(time);
  }
  /// What the vendor's library comes to at best: the ring from main memory.
  [[nodiscard]] double ring() const {
    return both_ways(phase([&](int p) { return (p + 1) % nodes_; }, main_memory()) * (nodes_ - 1));
  }

 private:
  static constexpr int k = 8;
  static constexpr double bytes = 262144;
  static constexpr double alpha_us = 11;
  static constexpr double nic_rate = 305;  ///< MB/s, that is bytes a microsecond

  template <class Partner>
  [[nodiscard]] double phase(const Partner& to,
                             const network_parameters& with = qsnet_parameters()) const {
    const auto seen =
        exchange(*on_, with, message, [&](int p) { return to(p) < nodes_ ? to(p) : p; });
    return alpha_us + seen.last.us() * bytes / static_cast<double>(message);
  }
  [[nodiscard]] double next_partition() const {
    return phase([&](int p) { return (p + k) % nodes_; });
  }
  [[nodiscard]] double copies() const { return nodes_ / k * bytes / nic_rate; }
  [[nodiscard]] double both_ways(double time) const { return 2 * bytes * (nodes_ - 1) / time; }

  std::unique_ptr<const topology> on_;
  int nodes_;
};

TEST(qsnet, table_4_1_by_phases_alone_with_all_nodes) {
  struct row {
    int nodes;
    double shift;
    double k_prefix;
  };
  for (const row& published : {row{64, 507, 531}, {128, 432, 519}, {256, 405, 511}}) {
    const strategies on(published.nodes, "");
    const double best = on.k_prefix();
    EXPECT_NEAR(best, published.k_prefix, 0.05 * published.k_prefix);
    EXPECT_NEAR(on.k_shift(), published.shift, 0.10 * published.shift);
    EXPECT_GT(on.k_shift(), on.ring());
    if (published.nodes == 64) continue;  // prefix_send comes out 3 % ahead there
    EXPECT_GT(best, on.prefix_send());
    EXPECT_GE(on.prefix_send(), on.k_shift());
  }
  for (const int nodes : {144, 192}) {
    EXPECT_GT(strategies(nodes, "").k_prefix(), strategies(nodes, "").k_shift());
  }
}

TEST(qsnet, table_4_1_by_phases_alone_with_missing_nodes) {
  struct row {
    int nodes;
    const char* missing;
    double shift;
    double k_prefix;
  };
  for (const row& published : {row{128, "21", 392, 338}, {240, "21", 394, 346}}) {
    const strategies on(published.nodes, published.missing);
    EXPECT_GT(on.k_shift(), on.k_prefix());
    EXPECT_GT(on.k_prefix(), on.ring());
    EXPECT_NEAR(on.k_shift(), published.shift, 0.15 * published.shift);
    EXPECT_NEAR(on.k_prefix(), published.k_prefix, 0.15 * published.k_prefix);
  }
  const strategies on(128, "21");
  EXPECT_GT(on.k_prefix(), on.prefix_send());
  EXPECT_GT(strategies(128, "21+70").k_shift(), strategies(128, "21+70").k_prefix());
}

}  // namespace
