// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The equations of Narayanan 2020 against numbers worked out by hand, against each other, and the
// best buffer against a search.
#include "upwash/model/aggregation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using namespace upwash;
using namespace upwash::model;

// An item of 32 bytes each 50 ns; messages of 2 us and 0.15 ns/B.
constexpr message_prices prices{2000, 0.15};
constexpr item_load load{0.02, 32};

double quarter(double ns) { return linear_delay(0.25, ns); }
double squared(double ns) { return ns * ns * 1e-4; }

}  // namespace

TEST(aggregation, messages_cost_what_equations_1_say) {
  EXPECT_DOUBLE_EQ(cost_of(prices, 1000), 2150);
  EXPECT_DOUBLE_EQ(cost_of_all(prices, std::array<double, 3>{0, 1000, 2000}), 6450);
}

TEST(aggregation, a_timeout_saves_what_equations_4_1_to_4_3_say) {
  // 100 items in 5 us: 100 messages of 2004.8 ns, or one of 3200 bytes and 100 items 2.5 us late.
  EXPECT_DOUBLE_EQ(uncombined_cost(prices, load, 5000), 200'480);
  EXPECT_DOUBLE_EQ(combined_cost(prices, load, 5000, quarter), 2480 + 100 * 625.0);
  for (const double period : {20.0, 60.0, 1000.0, 5000.0, 14'000.0, 17'000.0}) {
    const double saved = saved_by_timeout(prices, load, period, quarter);
    EXPECT_NEAR(
        saved, uncombined_cost(prices, load, period) - combined_cost(prices, load, period, quarter),
        1e-6);
    EXPECT_EQ(timeout_pays(prices, load, period, quarter), saved > 0) << period;
  }
  EXPECT_FALSE(timeout_pays(prices, load, 50, quarter));      // one item: nothing to combine
  EXPECT_FALSE(timeout_pays(prices, load, 17'000, quarter));  // later than a message is worth
}

TEST(aggregation, buffers_fill_as_equations_4_5_and_4_6_say) {
  EXPECT_DOUBLE_EQ(least_buffer(load, 5000, 0.8), 4000);
  EXPECT_DOUBLE_EQ(fill_time(load, 3200), 5000);
  EXPECT_DOUBLE_EQ(fill_time(load, 0.8 * least_buffer(load, 1234, 0.8)), 1234);
}

TEST(aggregation, buffers_save_what_equations_4_7_to_4_9_say) {
  // 3200 bytes: 99 of 100 messages are saved, items are 2.5 us late.
  EXPECT_NEAR(saved_by_buffer(prices, load, 5000, 3200, quarter), 100 * (1980 - 625), 1e-6);
  EXPECT_NEAR(least_alpha(load, 3200, quarter), 3200 * 625.0 / 3168, 1e-9);
  for (const auto& late : {quarter, squared}) {
    for (const double bytes : {33.0, 40.0, 64.0, 640.0, 5600.0, 10'000.0, 11'000.0}) {
      const double saved = saved_by_buffer(prices, load, 1000, bytes, late);
      EXPECT_EQ(buffer_pays(prices, load, bytes, late), saved > 0) << bytes;
      EXPECT_EQ(prices.alpha > least_alpha(load, bytes, late), saved > 0) << bytes;
    }
  }
  EXPECT_TRUE(std::isinf(least_alpha(load, 32, quarter)));
  // Over a whole number of fillings the buffer saves what as many timeouts do.
  EXPECT_NEAR(saved_by_buffer(prices, load, 50'000, 3200, quarter),
              10 * saved_by_timeout(prices, load, 5000, quarter), 1e-6);
}

TEST(aggregation, linear_delays_bound_the_buffer_as_equations_4_10_to_4_13_say) {
  EXPECT_DOUBLE_EQ(linear_delay(0.25, 1000), 250);
  EXPECT_DOUBLE_EQ(bound_of_bytes(prices, load, 0.25), 2 * 0.02 * 32 * 2000 / 0.25);
  const effective_range range = paying_bytes(prices, load, 0.25);
  EXPECT_LT(range.most, bound_of_bytes(prices, load, 0.25));
  EXPECT_GT(range.least, load.bytes);
  for (const double edge : {range.least, range.most}) {
    EXPECT_NEAR(least_alpha(load, edge, 0.25), prices.alpha, 1e-6);
    const double inside = edge == range.least ? 1.01 : 0.99;
    EXPECT_TRUE(buffer_pays(prices, load, edge * inside, quarter));
    EXPECT_FALSE(buffer_pays(prices, load, edge / inside, quarter));
  }
  // Delays so dear that even two items together cost more.
  EXPECT_EQ(paying_bytes(prices, load, 1000).most, 0);
}

TEST(aggregation, the_best_buffer_is_where_a_search_finds_it) {
  for (const double kappa : {0.001, 0.05, 0.25, 1.0}) {
    const auto late = [&](double ns) { return linear_delay(kappa, ns); };
    const double best = best_bytes(prices, load, kappa);
    const double saved = saved_by_buffer(prices, load, 1e6, best, late);
    double found = 0;
    double most = -1e300;
    for (double bytes = 33; bytes < 1e6; bytes *= 1.001) {
      const double now = saved_by_buffer(prices, load, 1e6, bytes, late);
      EXPECT_LE(now, saved * (1 + 1e-12));
      if (now > most) found = bytes;
      most = std::max(most, now);
    }
    EXPECT_NEAR(best / found, 1, 1e-3) << "kappa " << kappa;
  }
  EXPECT_NEAR(best_bytes(prices, load, 0.05), 32 * std::sqrt(1600.0), 1e-9);
}

TEST(aggregation, buffers_used_are_those_of_the_grid) {
  EXPECT_DOUBLE_EQ(buffers_used({1024, 1e6, 8, 1023}, 1), 1023);
  EXPECT_DOUBLE_EQ(buffers_used({1024, 1e6, 8, 1023}, 2), 62);
  EXPECT_NEAR(buffers_used({4096, 1e6, 8, 4095}, 3), 45, 1e-9);
  EXPECT_DOUBLE_EQ(buffers_used({1024, 1e6, 8, 3}, 1), 3);
  EXPECT_DOUBLE_EQ(buffers_used({1024, 1e6, 8, 3}, 2), 6);
  EXPECT_DOUBLE_EQ(buffers_used({1024, 2, 8, 3}, 1), 2);
}

TEST(aggregation, more_dimensions_pay_for_many_destinations_and_few_items) {
  const stream_prices at{
      .port = prices, .processor = {1000, 0.05}, .latency = 1000, .item = 10, .copy = 0.1};
  const auto cheapest = [&](const stream_phase& of) {
    int best = 1;
    for (int d = 2; d <= 3; ++d) {
      if (phase_cost(at, of, d, 16'000) < phase_cost(at, of, best, 16'000)) best = d;
    }
    return best;
  };
  EXPECT_EQ(cheapest({1024, 1e4, 8, 1023}), 2);  // ten items a destination: 1-D fills no buffer
  EXPECT_EQ(cheapest({1024, 1e7, 8, 1023}), 1);  // all buffers are full anyway
  EXPECT_EQ(cheapest({1024, 1e4, 8, 4}), 1);     // few destinations
  EXPECT_EQ(cheapest({16, 1e6, 8, 15}), 1);
  EXPECT_EQ(cheapest({65'536, 6e4, 8, 6e4}), 3);
  EXPECT_EQ(cheapest({1024, 1e4, 4000, 1023}), 1);  // large items are not worth a second trip
}
