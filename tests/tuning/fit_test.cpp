// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/fit.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "upwash/base/random.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;

std::vector<timed_size> on_line(double alpha, double beta, std::uint64_t first,
                                std::uint64_t last) {
  std::vector<timed_size> points;
  for (std::uint64_t bytes = first; bytes <= last; bytes *= 2) {
    points.push_back({bytes, alpha + beta * static_cast<double>(bytes)});
  }
  return points;
}

}  // namespace

TEST(fit, finds_the_line_that_points_lie_on) {
  const line_fit found = fit_line(on_line(9200, 2.6, 8, 1 << 20));
  EXPECT_NEAR(found.alpha_ns, 9200, 1e-6);
  EXPECT_NEAR(found.beta_ns_per_byte, 2.6, 1e-9);
  EXPECT_NEAR(found.worst, 0, 1e-9);
}

TEST(fit, bears_noise_and_says_how_much_there_is) {
  constexpr std::uint64_t seed = 5;
  random_stream draw(seed, 0);
  std::vector<timed_size> points = on_line(11'000, 8, 8, 1 << 18);
  for (timed_size& each : points) each.ns *= 0.97 + 0.06 * draw.fraction();
  const line_fit found = fit_line(points);
  EXPECT_NEAR(found.alpha_ns, 11'000, 500) << "seed " << seed;
  EXPECT_NEAR(found.beta_ns_per_byte, 8, 0.4);
  EXPECT_GT(found.worst, 0.005);
  EXPECT_LT(found.worst, 0.06);
}

TEST(fit, splits_where_the_response_changes) {
  // QsNet (Kumar 2005, 2.4): 11 us and 8 ns/B, from 288 B on 16 us and 5 ns/B.
  std::vector<timed_size> points = on_line(11'000, 8, 8, 256);
  for (const timed_size& each : on_line(16'000, 5, 512, 1 << 18)) points.push_back(each);
  const piecewise_fit found = fit_pieces(points);
  ASSERT_EQ(found.pieces.size(), 2U);
  EXPECT_EQ(found.pieces[1].from_bytes, 512U);
  EXPECT_NEAR(found.shortest().alpha_ns, 11'000, 1);
  EXPECT_NEAR(found.shortest().beta_ns_per_byte, 8, 1e-3);
  EXPECT_NEAR(found.longest().alpha_ns, 16'000, 1);
  EXPECT_NEAR(found.longest().beta_ns_per_byte, 5, 1e-3);
  EXPECT_NEAR(found.worst(), 0, 1e-9);
}

TEST(fit, splits_twice_where_a_network_changes_twice) {
  std::vector<timed_size> points = on_line(7'000, 0.7, 64, 4096);
  for (const timed_size& each : on_line(25'000, 0.6, 8192, 16'384)) points.push_back(each);
  for (const timed_size& each : on_line(60'000, 0.2, 32'768, 1 << 20)) points.push_back(each);
  const piecewise_fit found = fit_pieces(points);
  ASSERT_EQ(found.pieces.size(), 3U);
  EXPECT_EQ(found.pieces[1].from_bytes, 8192U);
  EXPECT_EQ(found.pieces[2].from_bytes, 32'768U);
  EXPECT_NEAR(found.at(4096), 7'000 + 0.7 * 4096, 1);
  EXPECT_NEAR(found.at(8192), 25'000 + 0.6 * 8192, 1);
  EXPECT_NEAR(found.at(1 << 20), 60'000 + 0.2 * (1 << 20), 1);
}

TEST(fit, has_level_pieces_where_short_ones_seem_to_get_cheaper) {
  std::vector<timed_size> points{{64, 7280}, {128, 7910}, {256, 8810}, {512, 7370}, {1024, 7660}};
  for (const timed_size& each : on_line(13'000, 10, 2048, 1 << 20)) points.push_back(each);
  const piecewise_fit found = fit_pieces(points);
  EXPECT_LT(found.worst(), 0.11);
  for (const auto& each : found.pieces) EXPECT_GE(each.line.beta_ns_per_byte, 0);
}

TEST(fit, keeps_one_line_where_one_is_enough) {
  EXPECT_EQ(fit_pieces(on_line(100, 1, 8, 1 << 16)).pieces.size(), 1U);
  EXPECT_EQ(fit_pieces(on_line(100, 1, 8, 16)).pieces.size(), 1U);
}
