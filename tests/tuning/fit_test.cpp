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
  EXPECT_EQ(found.from_bytes, 512U);
  EXPECT_NEAR(found.small.alpha_ns, 11'000, 1);
  EXPECT_NEAR(found.small.beta_ns_per_byte, 8, 1e-3);
  EXPECT_NEAR(found.large.alpha_ns, 16'000, 1);
  EXPECT_NEAR(found.large.beta_ns_per_byte, 5, 1e-3);
  EXPECT_NEAR(found.worst(), 0, 1e-9);
}

TEST(fit, keeps_one_line_where_one_is_enough) {
  EXPECT_EQ(fit_pieces(on_line(100, 1, 8, 1 << 16)).from_bytes, 0U);
  EXPECT_EQ(fit_pieces(on_line(100, 1, 8, 16)).from_bytes, 0U);
}
