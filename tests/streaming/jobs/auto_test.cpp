// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams that set themselves, in virtual time: held to the best of fixed settings on simulated
// machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/harness/job_cases.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/harness/worlds.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/runtime/run_on.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/streaming/quiescence.hpp"
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

/// Keeps the last finding, and offers it for all.
class one_finding final : public streaming::stream_memory {
 public:
  std::optional<streaming::stream_finding> recall(const streaming::stream_kind& kind) override {
    asked.push_back(kind);
    return found;
  }
  void note(const streaming::stream_kind& /*kind*/,
            const streaming::stream_finding& made) override {
    found = made;
  }
  std::vector<streaming::stream_kind> asked;
  std::optional<streaming::stream_finding> found;
};

void expect_near_best_in_a_grid(const std::string& machine) {
  if (test::sanitized) return expect_near_best<64>(machine, {8, 8});  // the same code
  for (const int ranks : {8, 60}) {
    for (const int items : {1, 8, 40}) {
      if (ranks * items > 1000 && !test::long_run()) continue;  // half a minute
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

/// Sets other parameters with each message.
class restless final : public streaming::observer {
 public:
  explicit restless(streaming::engine& of) : of_(of) { of_.watch(this); }
  ~restless() { of_.watch(nullptr); }
  void sent(const streaming::departure& /*what*/) override {
    random_stream random(++messages_, 5);
    const std::size_t bytes = 1 + random.below(6000);
    of_.set_parameters({.dimensions = static_cast<int>(1 + random.below(3)),
                        .effective_bytes = bytes,
                        .cutoff_bytes = random.below(bytes),
                        .timeout = duration::from_us(static_cast<double>(random.below(3)))});
  }
  void finished(std::uint64_t /*idle_ns*/) override {}

 private:
  streaming::engine& of_;
  std::uint64_t messages_ = 0;
};

}  // namespace

JOB_TEST(auto_stream, parameters_may_change_with_each_message, .most_ranks = 17) {
  const team world = here.world();
  using text = std::span<const std::byte>;
  std::uint64_t came = 0;
  std::uint64_t wrong = 0;
  auto texts = open_stream<text>(world, [&](const text& one) {
    came += one.size();
    wrong += static_cast<std::uint64_t>(
        std::count_if(one.begin(), one.end(), [&](std::byte b) { return b != one[0]; }));
  });
  {
    const restless changing(texts.engine());
    std::uint64_t went = 0;
    random_stream random(11, static_cast<std::uint64_t>(world.rank()));
    for (int i = 0; i < 300; ++i) {
      const std::vector<std::byte> one(random.below(4) == 0 ? random.below(5000) : random.below(60),
                                       static_cast<std::byte>(i));
      went += one.size();
      texts.push(static_cast<int>(random.below(static_cast<std::uint64_t>(world.size()))), one);
    }
    texts.finish();
    std::array<std::uint64_t, 2> all{went, came};
    control::all_reduce(world, all, control::fold::sum);
    EXPECT_EQ(all[0], all[1]);
    EXPECT_EQ(wrong, 0U);
  }
}

TEST(auto_stream, a_hot_destination_gets_a_way_without_stops) {
  constexpr int ranks = 256;
  constexpr int hot = 17;  // further on than a step on the grid
  constexpr int phases = 4;
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("summit");
  const auto world = conduit::make_sim_world(options);
  streaming::price_list prices("summit");
  std::vector<std::uint64_t> forwarded(phases);
  run_on(*world, {}, [&](job& here) {
    streaming::install(here, {.prices = &prices});
    auto items = open_stream<std::uint64_t>(here.world(), [](std::span<const std::uint64_t>) {});
    quiescence quiet(here.world());
    for (int phase = 0; phase < phases; ++phase) {
      const std::uint64_t before = items.statistics().forwarded;
      for (int k = 1; k < ranks; ++k) {
        items.push((here.rank() + k) % ranks, 1);
        for (int i = 0; i < 8; ++i) items.push((here.rank() + hot) % ranks, 1);
      }
      quiet.wait();  // the end of a phase as good as the stream's own
      forwarded[static_cast<std::size_t>(phase)] += items.statistics().forwarded - before;
    }
  });
  EXPECT_GT(forwarded.front(), std::uint64_t{ranks} * 8 * 255 / 2);
  EXPECT_LT(forwarded.back(), forwarded.front() / 3);
}

TEST(auto_stream, begins_with_what_an_earlier_one_found) {
  constexpr int ranks = 32;
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("summit");
  streaming::price_list prices("summit");
  one_finding memory;
  double first_phase[2] = {};
  double last_phase = 0;
  for (double& first : first_phase) {
    const auto world = conduit::make_sim_world(options);
    run_on(*world, {}, [&](job& here) {
      streaming::install(here, {.prices = &prices, .memory = &memory});
      auto items = open_stream<std::uint64_t>(here.world(), [](std::span<const std::uint64_t>) {},
                                              {.label = "once"});
      for (int phase = 0; phase < 4; ++phase) {
        const duration began = here.now();
        for (int k = 1; k < ranks; ++k) items.push((here.rank() + k) % ranks, 1);
        items.finish();
        last_phase = (here.now() - began).us();
        if (phase == 0 && here.rank() == 0) first = last_phase;
      }
    });
  }
  ASSERT_TRUE(memory.found.has_value());
  EXPECT_EQ(memory.found->dimensions, 2);
  EXPECT_NEAR(memory.found->seen.items, ranks - 1, 1);
  EXPECT_EQ(memory.asked.front(), (streaming::stream_kind{"once", ranks, ranks, 8}));
  EXPECT_GT(first_phase[0], 1.1 * last_phase);
  EXPECT_LT(first_phase[1], 1.1 * last_phase);
}

TEST(auto_stream, is_near_the_best_fixed_setting_on_summit) {
  expect_near_best_in_a_grid("summit");
}

TEST(auto_stream, is_near_the_best_fixed_setting_on_frontera) {
  expect_near_best_in_a_grid("frontera");
}

namespace {

/// Bytes at which buffers of the last member are sent after some phases, in which member 0 waits
/// for items or computes as long as it takes to make them.
std::size_t bytes_when(bool first_waits) {
  conduit::sim_options options;
  options.ranks = 2;
  options.on = load_machine("summit:ranks_a_node=1");
  const auto world = conduit::make_sim_world(options);
  streaming::price_list prices("summit:ranks_a_node=1");
  std::size_t bytes = 0;
  run_on(*world, {}, [&](job& here) {
    streaming::install(here, {.prices = &prices});
    auto items = open_stream<std::uint64_t>(here.world(), [](std::span<const std::uint64_t>) {},
                                            {.latency_cost = stream_options::measured});
    for (int phase = 0; phase < 8; ++phase) {
      for (std::uint64_t i = 0; i < 4000; ++i) {
        if (here.rank() == 1) items.push(0, i);
        if (here.rank() == 1 || !first_waits) here.compute(duration::from_ns(20));
      }
      items.finish();
    }
    if (here.rank() == 1) bytes = items.settings().effective_bytes;
  });
  return bytes;
}

}  // namespace

TEST(auto_stream, makes_buffers_smaller_where_members_wait_for_items) {
  EXPECT_LT(bytes_when(true), bytes_when(false));
}

/// Messages of others, on their way, are no traffic of its own.
TEST(auto_stream, leaves_settings_alone_where_nothing_is_pushed) {
  const auto world = test::sim_of(9);
  run_on(*world, {}, [&](job& here) {
    auto items =
        open_stream_with<int, std::uint64_t>(here.world(), [](const int&, const std::uint64_t&) {},
                                             {.dimensions = 2, .latency_cost = 1});
    for (int i = 0; i < 90; ++i) items.push(i % here.size(), 1);
    items.finish();
    const streaming::parameters before = items.settings();
    // Each in a message of its own, since no two have the same in common.
    for (int i = 1; here.rank() == 0 && i < 1000; ++i) {
      items.set_common(i);
      items.push(8, 1);
    }
    items.finish();
    if (here.rank() == 0) return;
    EXPECT_EQ(items.settings().effective_bytes, before.effective_bytes) << here.rank();
    EXPECT_EQ(items.settings().timeout, before.timeout) << here.rank();
  });
}
