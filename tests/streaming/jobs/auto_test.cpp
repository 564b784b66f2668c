// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams that set themselves, in virtual time: held to the best of fixed settings on simulated
// machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/streaming/stream.hpp"

namespace {

using namespace upwash;

/// Items of one size for others, phase by phase.
struct pattern {
  int ranks = 8;
  int items = 1;         ///< for each destination
  int destinations = 0;  ///< the ranks behind each; 0: all
};

constexpr int learning = 4;  ///< phases that are not timed
constexpr int timed = 4;

template <std::size_t Bytes>
struct padded {
  std::byte bytes[Bytes];
};

/// Virtual time of the timed phases, in us.
template <std::size_t Bytes>
double time_of(const std::string& machine, const pattern& of, const stream_options& with) {
  conduit::sim_options options;
  options.ranks = of.ranks;
  options.on = load_machine(machine);
  const auto world = conduit::make_sim_world(options);
  streaming::price_list prices(machine);
  double longest = 0;
  run_on(*world, {}, [&](job& here) {
    streaming::install(here, {.prices = &prices});
    using item = padded<Bytes>;
    std::uint64_t came = 0;
    auto items = open_stream<item>(
        here.world(), [&](std::span<const item> some) { came += some.size(); }, with);
    const int to = of.destinations == 0 ? of.ranks - 1 : of.destinations;
    duration began;
    for (int phase = 0; phase < learning + timed; ++phase) {
      if (phase == learning) began = here.now();
      for (int i = 0; i < of.items; ++i) {
        for (int k = 1; k <= to; ++k) items.push((here.rank() + k) % of.ranks, item{});
      }
      items.finish();
    }
    EXPECT_EQ(came, static_cast<std::uint64_t>(to * of.items * (learning + timed)));
    longest = std::max(longest, (here.now() - began).us());
  });
  return longest;
}

template <std::size_t Bytes>
void expect_near_best(const std::string& machine, const pattern& of) {
  double best = std::numeric_limits<double>::infinity();
  std::string name;
  for (const int dimensions : {1, 2, 3}) {
    for (const std::size_t buffer : {512U, 2048U, 8192U}) {
      const double time =
          time_of<Bytes>(machine, of, {.dimensions = dimensions, .buffer_bytes = buffer});
      if (time >= best) continue;
      best = time;
      name = fmt::format("{}-D with {} bytes", dimensions, buffer);
    }
  }
  const double chosen = time_of<Bytes>(machine, of, {});
  EXPECT_LE(chosen, 1.1 * best) << fmt::format(
      "{}: {} ranks, {} x {} bytes for {}: {:.1f} us, {} "
      "{:.1f} us",
      machine, of.ranks, of.items, Bytes, of.destinations, chosen, name, best);
}

void expect_near_best_in_a_grid(const std::string& machine) {
  for (const int ranks : {8, 60}) {
    for (const int items : {1, 8, 40}) {
      expect_near_best<8>(machine, {ranks, items});
      expect_near_best<64>(machine, {ranks, items});
      expect_near_best<1000>(machine, {ranks, items});
    }
  }
  expect_near_best<8>(machine, {125, 1});
  expect_near_best<8>(machine, {125, 8});
  expect_near_best<16>(machine, {125, 100, 3});
  expect_near_best<16>(machine, {60, 1000, 3});
}

}  // namespace

TEST(auto_stream, is_near_the_best_fixed_setting_on_summit) {
  expect_near_best_in_a_grid("summit");
}

TEST(auto_stream, is_near_the_best_fixed_setting_on_frontera) {
  expect_near_best_in_a_grid("frontera");
}
