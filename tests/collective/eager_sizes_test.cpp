// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Up to which size edges travel eagerly is chosen by price, and runs take what the price says.
#include "upwash/collective/eager_sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/harness/worlds.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/install.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/runtime/run_on.hpp"
#include "upwash/simulator/replay.hpp"
#include "upwash/upwash.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

constexpr std::uint64_t limit = std::uint64_t{1} << 20U;  ///< of simulated jobs

problem call_on(const machine& on, kind what, int ranks, std::uint64_t bytes) {
  problem call{.of = what, .ranks = ranks, .bytes = bytes};
  call.in_place = what == kind::broadcast;
  call.element_bytes = bytes % 8 == 0 ? 8 : 1;
  call.ranks_per_node = std::min(ranks, on.ranks_in(level_kind::node));
  call.eager_limit = limit;
  call.eager_bytes = predictor(on).eager().usual(call);
  return call;
}

duration replayed(const selection& one, const problem& call, const machine& on) {
  simulator::replay_options options;
  options.free_where_absent = true;
  duration last;
  const auto steps = [&](int rank) { return one.schedule_of(call, rank); };
  for (const auto& each : simulator::replay(call.ranks, steps, on, rules_of(one, call), options)) {
    last = std::max(last, each.completion);
  }
  return last;
}

/// What an all-gather of so many bytes takes in a simulated job, from one virtual time on.
duration run_of(const std::string& machine_name, int ranks, std::size_t bytes,
                const collective_options& how) {
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine(machine_name);
  const auto world = conduit::make_sim_world(options);
  const auto selects = make_model_selector(machine_name);
  duration latest;
  run_on(*world, {}, [&](job& here) {
    set_selector(here, selects.get());
    const std::vector<std::byte> mine(bytes);
    std::vector<std::byte> all(bytes * static_cast<std::size_t>(ranks));
    const auto call = [&] {
      all_gather(here.world(), blocking, std::span(mine), std::span(all), how);
    };
    call();  // the first makes the plan
    const duration begin = duration::from_us(100'000);
    here.compute(begin - here.now());
    call();
    latest = std::max(latest, here.now() - begin);
    set_selector(here, nullptr);
  });
  return latest;
}

}  // namespace

TEST(eager_sizes, end_where_asking_first_takes_no_longer) {
  const machine edr = load_machine("edr");
  const std::uint64_t inside = eager_sizes(edr).usual(call_on(edr, kind::all_gather, 16, 8));
  const std::uint64_t outside = eager_sizes(edr).usual(call_on(edr, kind::all_gather, 64, 8));
  // Three latencies of 46 ns more, and 0.1 ns/B less: 1 to 2 KiB. Of 540 ns: 10 to 20 KiB.
  EXPECT_EQ(inside, 1024U);
  EXPECT_EQ(outside, 16'384U);
  // Copies without a cost.
  const machine infiniband = load_machine("infiniband");
  EXPECT_EQ(eager_sizes(infiniband).usual(call_on(infiniband, kind::all_gather, 64, 8)), limit);
  // What was asked for.
  problem asked = call_on(edr, kind::all_gather, 16, 8);
  asked.transfer = mechanism::rendezvous;
  EXPECT_EQ(eager_sizes(edr).usual(asked), limit);
  EXPECT_TRUE(eager_sizes(edr).worth_a_price(asked).empty());
  asked.transfer.reset();
  asked.eager_limit = 512;
  EXPECT_EQ(eager_sizes(edr).usual(asked), 512U);
  asked.eager_limit = 0;
  EXPECT_EQ(eager_sizes(edr).usual(asked), 0U);
}

/// They are found by bisection, which looks at other sizes under each limit.
TEST(eager_sizes, are_the_same_under_each_limit_that_they_do_not_reach) {
  for (const std::string& name : known_machines()) {
    const machine on = load_machine(name);
    for (const int ranks : {2, 64}) {
      for (const bool overlapped : {false, true}) {
        problem call = call_on(on, kind::all_gather, ranks, 8);
        call.overlapped = overlapped;
        const std::uint64_t unlimited = eager_sizes(on).usual(call);
        for (call.eager_limit = 64; call.eager_limit < limit; call.eager_limit *= 2) {
          EXPECT_EQ(eager_sizes(on).usual(call), std::min(call.eager_limit, unlimited))
              << name << ", " << ranks << " ranks, up to " << call.eager_limit;
        }
      }
    }
  }
}

TEST(eager_sizes, to_try_are_those_of_the_levels) {
  const machine edr = load_machine("edr");
  const problem call = call_on(edr, kind::all_gather, 64, 8);
  const auto sizes = eager_sizes(edr).worth_a_price(call);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_EQ(sizes.front(), 0U);
  EXPECT_EQ(sizes.back(), limit);
  EXPECT_NE(std::find(sizes.begin(), sizes.end(), 1024U), sizes.end());
  EXPECT_EQ(std::find(sizes.begin(), sizes.end(), call.eager_bytes), sizes.end());
}

// What is kept depends on nothing else than what it is kept with.
TEST(eager_sizes, are_the_same_whatever_was_asked_before) {
  for (const char* name : {"edr", "laptop", "lemieux"}) {
    const machine on = predictor(load_machine(name)).edged();
    const eager_sizes kept(on);
    for (std::uint64_t i = 0; i < 120; ++i) {
      const auto draw = [i](std::uint64_t what, std::uint64_t below) {
        return random_bits(5, i, what) % below;
      };
      problem asked{.of = kind::all_gather, .ranks = 1 << draw(0, 8), .bytes = draw(1, 9999)};
      asked.addresses = draw(2, 2) == 0 ? address_mode::local : address_mode::single;
      asked.entry = static_cast<sync_mode>(draw(3, 3));
      asked.direct_access = draw(4, 2) == 0;
      asked.overlapped = draw(5, 2) == 0;
      asked.eager_limit = draw(6, 4) == 0 ? 0 : std::uint64_t{512} << draw(7, 10);
      if (draw(8, 5) == 0) asked.transfer = mechanism::rendezvous;
      EXPECT_EQ(kept.usual(asked), eager_sizes(on).usual(asked)) << name << ' ' << i;
      EXPECT_EQ(kept.worth_a_price(asked), eager_sizes(on).worth_a_price(asked))
          << name << ' ' << i;
    }
  }
}

TEST(eager_sizes, matter_to_edges_between_them) {
  const std::uint64_t of_600_bytes = 1U << 10U;
  EXPECT_TRUE(travels_otherwise(of_600_bytes, 512, 4096));
  EXPECT_TRUE(travels_otherwise(of_600_bytes, 4096, 0));
  EXPECT_FALSE(travels_otherwise(of_600_bytes, 1024, 4096));
  EXPECT_FALSE(travels_otherwise(of_600_bytes, 0, 512));
  EXPECT_FALSE(travels_otherwise(0, 0, UINT64_MAX));
}

TEST(eager_sizes, can_be_named_with_every_algorithm) {
  registry all;
  add_algorithms(all);
  for (const char* text : {"ring:eager=4096", "dissemination:k=4,eager=0"}) {
    EXPECT_EQ(text_of(all.named(kind::all_gather, text)), text);
  }
  EXPECT_EQ(text_of(all.named(kind::broadcast, "knomial:eager=8k,k=3")),
            "knomial:k=3,segment=0,eager=8192");
  EXPECT_THROW(static_cast<void>(all.named(kind::all_gather, "ring:eager=x")), error);
  EXPECT_THROW(static_cast<void>(all.named(kind::all_gather, "ring:eager=1,k=2")), error);
  const problem call{.of = kind::all_gather, .ranks = 4, .bytes = 8};
  EXPECT_EQ(registry::objection(all.named(kind::all_gather, "ring:eager=1024"), call),
            "ring: eager=1024: edges of up to 512 bytes can travel eagerly here");
}

TEST(eager_sizes, prices_are_of_the_mechanism_that_was_asked_for) {
  registry all;
  add_algorithms(all);
  const predictor by(load_machine("edr"));
  problem call = call_on(by.on(), kind::all_gather, 16, 64);
  const selection ring = all.named(call.of, "ring");
  const auto eagerly = by.predict(ring, call, 1'000'000).time;
  call.transfer = mechanism::rendezvous;
  const auto offered = by.predict(ring, call, 1'000'000).time;
  EXPECT_GT(*offered, *eagerly);
  EXPECT_EQ(*offered, replayed(ring, call, by.edged()));
}

// Where everything that fits went eagerly, the copies out of the buffers took most of the time.
TEST(eager_sizes, of_the_choice_are_faster_by_replay_and_in_a_run) {
  registry all;
  add_algorithms(all);
  const machine edr = load_machine("edr");
  const auto selects = make_model_selector("edr");
  for (const std::uint64_t bytes : {4104, 65'536}) {
    const problem call = call_on(edr, kind::all_gather, 16, bytes);
    const selection chosen = selects->choose(all, call).what;
    selection all_eager = chosen;
    all_eager.eager_bytes = limit;
    const double replay_gain =
        replayed(all_eager, call, edr).us() / replayed(chosen, call, edr).us();
    EXPECT_GT(replay_gain, 1.5) << bytes;
    const duration run = run_of("edr", 16, bytes, {});
    const double run_gain = run_of("edr", 16, bytes, {.eager_bytes = limit}).us() / run.us();
    EXPECT_GT(run_gain, 1.3) << bytes << ": " << run.us() << " us";
  }
}

TEST(eager_sizes, of_a_named_algorithm_are_those_of_the_machine) {
  for (const std::uint64_t bytes : {512, 4096, 65'536}) {
    EXPECT_EQ(run_of("edr", 16, bytes, {.algorithm = "ring"}),
              run_of("edr", 16, bytes, {.algorithm = "ring:eager=1k"}));
  }
}

// Levels want different sizes, so the choice tries them all.
TEST(eager_sizes, are_priced_beside_the_usual_one) {
  registry all;
  add_algorithms(all);
  const predictor by(load_machine("edr"));
  const problem call = call_on(by.on(), kind::all_gather, 16, 65'536);
  const selection direct = all.named(call.of, "direct:eager=1m");
  const auto seen = by.predict(direct, call, 1'000'000);
  const auto others = with_other_eager_sizes(direct, seen.edge_sizes, call, by, 1'000'000);
  ASSERT_FALSE(others.empty());
  for (const ranked& each : others) {
    EXPECT_EQ(*each.predicted, replayed(each.what, call, by.edged())) << text_of(each.what);
    EXPECT_LT(*each.predicted, *seen.time) << text_of(each.what);
  }
}
