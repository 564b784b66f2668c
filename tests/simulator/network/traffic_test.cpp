// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Patterns by hand, the exponential numbers against their law, latencies in bins, bad input.
#include "upwash/simulator/network/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"

namespace {

using namespace upwash::simulator;  // NOLINT(google-build-using-namespace)

int partner(const std::string& text, int node, int nodes) {
  return parse_traffic(text, nodes).partner(node, nodes);
}

TEST(traffic, patterns_by_hand) {
  EXPECT_EQ(partner("transpose", 0b0110'0001, 256), 0b0001'0110);
  EXPECT_EQ(partner("bit-reversal", 0b0110'0001, 256), 0b1000'0110);
  EXPECT_EQ(partner("complement", 0b0110'0001, 256), 0b1001'1110);
  EXPECT_EQ(partner("shift:by=5", 254, 256), 3);
  EXPECT_EQ(partner("prefix:by=5", 6, 256), 3);
}

TEST(traffic, patterns_are_permutations) {
  for (const char* text :
       {"transpose", "bit-reversal", "complement", "shift:by=7", "prefix:by=9"}) {
    std::vector<int> seen(64, 0);
    for (int p = 0; p < 64; ++p) ++seen[static_cast<std::size_t>(partner(text, p, 64))];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 64) << text;
  }
}

TEST(traffic, exponential_numbers_follow_their_law) {
  upwash::random_stream random(3, 0);
  constexpr int draws = 1000000;
  double sum = 0;
  double squares = 0;
  int above_two = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = static_cast<double>(exponential(random)) * 0x1.0p-32;
    sum += x;
    squares += x * x;
    above_two += x > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / draws, 1, 0.005);
  EXPECT_NEAR(squares / draws, 2, 0.02);
  EXPECT_NEAR(static_cast<double>(above_two) / draws, std::exp(-2.0), 0.002);
}

TEST(traffic, quantiles_are_exact_to_the_width_of_a_bin) {
  arrival_record record;
  EXPECT_EQ(record.quantile_ns(0.99), 0);
  for (int i = 1; i <= 10000; ++i) record.add(i * 1000, 1);
  EXPECT_NEAR(record.quantile_ns(0.5), 5000, 5000 * 0.016);
  EXPECT_NEAR(record.quantile_ns(0.99), 9900, 9900 * 0.016);
  EXPECT_NEAR(record.mean_ns(), 5000.5, 0.001);
  arrival_record small;
  for (int i = 0; i < 60; ++i) small.add(i, 1);
  EXPECT_NEAR(small.quantile_ns(0.5), 0.0295, 0.0011);
}

TEST(traffic, uniform_traffic_spares_nobody_but_oneself) {
  synthetic_traffic traffic(5, {}, {});
  std::vector<int> seen(5, 0);
  offered_packet fresh;
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(traffic.next(2, 0, fresh));
    ++seen[static_cast<std::size_t>(fresh.goal.to)];
  }
  EXPECT_EQ(seen[2], 0);
  for (const int node : {0, 1, 3, 4}) EXPECT_NEAR(seen[static_cast<std::size_t>(node)], 1000, 120);
}

std::string complaint(const std::string& text, int nodes) {
  try {
    (void)parse_traffic(text, nodes);
  } catch (const upwash::error& wrong) {
    EXPECT_EQ(wrong.exit_status(), 2);
    return wrong.what();
  }
  return "none";
}

TEST(traffic, bad_input_is_told_what_is_valid) {
  EXPECT_EQ(complaint("unifrm", 4),
            "traffic: \"unifrm\" is unknown, did you mean uniform?; valid: uniform, hot-spot, "
            "transpose, bit-reversal, complement, shift, prefix");
  EXPECT_EQ(complaint("transpose", 12), "traffic: transpose needs a power of two of nodes, not 12");
  EXPECT_EQ(complaint("transpose", 32),
            "traffic: transpose needs an even number of bits; 32 nodes have 5");
  EXPECT_EQ(complaint("prefix:by=64", 64), "traffic: prefix: 64 is not below the 64 nodes");
  EXPECT_EQ(complaint("shift:far=1", 64), "shift: no parameter \"far\" (known: by, senders)");
  EXPECT_EQ(complaint("shift:by=100", 64), "none");
}

}  // namespace
