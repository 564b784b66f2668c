// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that share cores: turns, what a switch takes, and direct access to peers' memory.
#include "upwash/conduit/sim/detail/cores.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>

#include "tests/harness/worlds.hpp"
#include "upwash/conduit/sim/sim_world.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/runtime/run_on.hpp"
#include "upwash/upwash.hpp"

namespace upwash::conduit::sim {
namespace {

constexpr cores::switch_times takes{duration::from_ns(100), duration::from_ns(5)};

TEST(cores, gives_a_core_to_one_rank_at_a_time) {
  cores of;
  const auto layout = rank_layout::even(4, 4);
  of.share(layout, 4, 2, takes);
  EXPECT_TRUE(of.take(0));
  EXPECT_TRUE(of.take(1));  // on the other core
  EXPECT_FALSE(of.take(2));
  EXPECT_TRUE(of.wanted(0));
  EXPECT_FALSE(of.wanted(1));
  EXPECT_EQ(of.leave(0, duration::from_ns(50)), 2);
  EXPECT_TRUE(of.take(2));
  EXPECT_EQ(of.leave(2, duration::from_ns(60)), cores::nobody);
}

TEST(cores, charges_a_switch_behind_another_rank) {
  cores of;
  const auto layout = rank_layout::even(2, 2);
  of.share(layout, 2, 1, takes);
  ASSERT_TRUE(of.take(0));
  EXPECT_EQ(of.begin(0, duration::from_ns(10)), duration::from_ns(10));  // nobody ran before
  EXPECT_EQ(of.leave(0, duration::from_ns(30)), cores::nobody);
  ASSERT_TRUE(of.take(1));
  EXPECT_EQ(of.begin(1, duration::from_ns(20)), duration::from_ns(130));  // the core was not free
  EXPECT_EQ(of.leave(1, duration::from_ns(140)), cores::nobody);
  ASSERT_TRUE(of.take(1));
  EXPECT_EQ(of.begin(1, duration::from_ns(200)), duration::from_ns(200));  // it ran there last
}

TEST(cores, ranks_of_a_process_share_its_core_and_switch_fast) {
  cores of;
  const auto layout = rank_layout::even(12, 4);  // on two nodes of two processes with three ranks
  of.share(layout, 6, 2, takes);
  ASSERT_TRUE(of.take(0));
  EXPECT_FALSE(of.take(2));
  EXPECT_TRUE(of.take(3));  // the node's other core
  EXPECT_TRUE(of.take(6));  // another node
  EXPECT_EQ(of.begin(0, duration::from_ns(10)), duration::from_ns(10));
  EXPECT_EQ(of.leave(0, duration::from_ns(30)), 2);
  EXPECT_EQ(of.begin(2, duration::from_ns(30)), duration::from_ns(35));
}

/// The virtual time of four ranks that each work for 1 us, on so many cores.
duration time_on(int cores_per_node) {
  sim_options options;
  options.ranks = 4;
  options.on = load_machine("laptop");
  options.on.processor.cores_per_node = cores_per_node;
  const auto world = make_sim_world(options);
  run_on(*world, {}, [](job& here) { here.compute(duration::from_us(1)); });
  return report_of(*world).time;
}

TEST(cores, ranks_of_a_core_work_one_after_the_other) {
  const duration alone = time_on(4);
  EXPECT_GE(time_on(2), alone + duration::from_us(1));
  EXPECT_GE(time_on(1), alone + duration::from_us(3));
}

/// The virtual time of eight ranks that each exchange 32 KiB with ranks of the next node and work,
/// ten times; the work of a node's processors is the same however many ranks share it.
duration time_of_halves(int ranks_per_process) {
  sim_options options;
  options.ranks = 2 * ranks_per_process;
  options.ranks_per_process = ranks_per_process;
  options.on = load_machine(ranks_per_process == 1 ? "lemieux:ranks_a_node=1" : "lemieux");
  const auto world = make_sim_world(options);
  run_on(*world, {}, [&](job& here) {
    const int peer = (here.rank() + ranks_per_process) % here.size();
    const std::vector<std::byte> out(std::size_t{32} * 1024 /
                                     static_cast<std::size_t>(ranks_per_process));
    std::vector<std::byte> in(out.size());
    for (int step = 0; step < 10; ++step) {
      auto coming = matching::receive(here.world(), peer, 1, in);
      auto going = matching::send(here.world(), peer, 1, out);
      coming.wait();
      going.wait();
      here.compute(duration::from_us(400.0 / ranks_per_process));
    }
  });
  return report_of(*world).time;
}

TEST(cores, ranks_that_share_a_process_compute_while_others_wait) {
  EXPECT_LT(time_of_halves(4), duration::from_ns(0.85 * time_of_halves(1).ns()));
  EXPECT_GT(time_of_halves(4), duration::from_us(4000)) << "the work of one core";
}

void note(incoming& /*in*/, std::uint64_t flag) { *reinterpret_cast<bool*>(flag) = true; }

TEST(cores, who_polls_and_never_waits_does_not_starve_the_others) {
  sim_options options;
  options.ranks = 2;
  options.on = load_machine("laptop");
  options.on.processor.cores_per_node = 1;
  const auto world = make_sim_world(options);
  std::array<bool, 2> came{};
  run_on(*world, {}, [&](job& here) {
    const auto self = static_cast<std::size_t>(here.rank());
    const auto tell = [&] {
      send<&note>(here, 1 - here.rank(), reinterpret_cast<std::uint64_t>(&came[1 - self]));
    };
    if (self == 0) tell();
    for (int looks = 0; !came[self] && looks < 1'000; ++looks) {
      host(here).charge(cost::poll, 1);
      host(here).endpoint().poll(here.rank());
    }
    EXPECT_TRUE(came[self]) << "rank " << self;
    if (self == 1) tell();
  });
}

TEST(direct_access, a_wait_for_what_nobody_stores_is_named) {
  sim_options options;
  options.ranks = 2;
  options.on = load_machine("laptop");
  options.direct_access = true;
  const auto world = make_sim_world(options);
  const std::string text = test::message_of(*world, [](job& here) {
    alignas(8) std::uint64_t word = 0;
    host(here).wait(wait_target::peers_word(word, comparison::equal, 1), {.operation = "my wait"});
  });
  EXPECT_NE(text.find("my wait #0"), std::string::npos) << text;
  EXPECT_NE(text.find("looks in vain"), std::string::npos) << text;
}

}  // namespace
}  // namespace upwash::conduit::sim
