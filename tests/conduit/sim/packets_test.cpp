// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks whose messages cross a network of packets: one alone takes what the message level says,
// many that meet in the switches take longer; order, determinism, collectives in the switches.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/conduit/sim/sim_fixture.hpp"
#include "upwash/base/error.hpp"
#include "upwash/conduit/network_collective.hpp"
#include "upwash/model/topology_text.hpp"

namespace {

using namespace upwash;
using namespace upwash::conduit;
using namespace upwash::conduit::sim_test;

constexpr duration ns(double value) { return duration::from_ns(value); }

sim_options through(const std::string& network, int ranks) {
  sim_options options = on_textbook(ranks);
  options.through = model::make_topology(model::parse_topology(network));
  return options;
}

/// When the last rank has taken what `to` others sent it: each sends one message of `bytes`.
duration exchange(sim_options options, std::size_t bytes, int (*to)(int rank, int ranks)) {
  const int ranks = options.ranks;
  std::vector<std::size_t> wanted(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    if (to(rank, ranks) >= 0) ++wanted[static_cast<std::size_t>(to(rank, ranks))];
  }
  simulated_job job(std::move(options));
  duration last;
  job.run([&](rank_box& me) {
    const int peer = to(me.rank(), ranks);
    if (peer >= 0) me.send(peer, 1, bytes);
    me.wait_for(wanted[static_cast<std::size_t>(me.rank())]);
    last = std::max(last, me.now());
  });
  return last;
}

TEST(sim_packets, a_message_alone_takes_what_the_message_level_says) {
  const auto one = [](int rank, int) { return rank == 0 ? 3 : -1; };
  for (const std::size_t bytes : {16, 256, 5000, 100000}) {
    const duration level = exchange(on_textbook(4), bytes, one);
    const duration packets = exchange(through("crossbar:ports=4", 4), bytes, one);
    EXPECT_NEAR(packets.ns(), level.ns(), 1) << bytes;  // the first byte's G
  }
}

TEST(sim_packets, puts_gets_and_atomics_cross_the_network) {
  simulated_job job(through("fat-tree:ports=4,levels=2", 4));
  std::vector<memory_block> blocks(4);
  for (int rank = 0; rank < 4; ++rank) {
    blocks[static_cast<std::size_t>(rank)] = job.in().endpoint_of(rank).allocate(rank, 4096);
  }
  std::vector<std::byte> back(3000);
  job.run([&](rank_box& me) {
    if (me.rank() != 0) return;
    const remote_memory peer = me.at().import(0, 3, blocks[3].key);
    const std::vector<std::byte> data(3000, std::byte{7});
    told_once there;
    (void)me.insist([&] { return me.at().put(0, peer, 8, data, {nullptr, &there}, nullptr); });
    me.wait_told(there);
    EXPECT_GT(me.now(), ns(300 + 1000 + 3000 * 0.5 + 999));
    told_once here;
    (void)me.insist([&] { return me.at().get(0, peer, 8, back, &here); });
    me.wait_told(here);
    told_once added;
    std::uint64_t old = 1;
    const atomic_operation add{atomic_kind::fetch_add, 8, 5, 0};
    (void)me.insist([&] { return me.at().atomic(0, peer, 0, add, &old, {&added, nullptr}); });
    me.wait_told(added);
    EXPECT_EQ(old, 0U);
  });
  EXPECT_EQ(std::count(back.begin(), back.end(), std::byte{7}), 3000);
  EXPECT_EQ(blocks[3].base[0], std::byte{5});
  EXPECT_GT(job.report().packet_hops, 0U);
}

/// At message level thirteen messages to rank 0 wait at its port; here they wait in the switches,
/// in the way of one to another rank.
TEST(sim_packets, an_incast_holds_up_what_is_not_part_of_it) {
  const auto victim_time = [](sim_options options) {
    simulated_job job(std::move(options));
    duration when;
    job.run([&](rank_box& me) {
      if (me.rank() == 0) return me.wait_for(12);
      if (me.rank() == 1) {
        me.wait_for(1);
        when = me.now();
        return;
      }
      if (me.rank() == 15) {
        me.at().compute(15, duration::from_us(20));
        return me.send(1, 1, 4096);
      }
      if (me.rank() >= 3) me.send(0, 1, 65536);
    });
    return when;
  };
  const std::string tree = "fat-tree:arity=4,levels=2,taper=4";
  const duration level = victim_time(on_textbook(16));
  const duration packets = victim_time(through(tree, 16));
  EXPECT_GT(packets.us(), 2 * level.us());
}

TEST(sim_packets, an_incast_keeps_the_receivers_link_busy) {
  const auto to_first = [](int rank, int) { return rank == 0 ? -1 : 0; };
  const duration level = exchange(on_textbook(16), 65536, to_first);
  const duration packets = exchange(through("fat-tree:arity=4,levels=2", 16), 65536, to_first);
  EXPECT_NEAR(packets.us(), level.us(), 0.01 * level.us()) << "all wait there, or in the switches";
}

TEST(sim_packets, permutations_across_a_narrow_bisection_are_slower_than_at_message_level) {
  const auto across = [](int rank, int ranks) { return (rank + ranks / 2) % ranks; };
  const duration level = exchange(on_textbook(16), 65536, across);
  const duration full = exchange(through("fat-tree:arity=4,levels=2", 16), 65536, across);
  const duration tapered =
      exchange(through("fat-tree:arity=4,levels=2,taper=4", 16), 65536, across);
  const duration ring = exchange(through("torus:size=16", 16), 65536, across);
  EXPECT_LT(full.us(), 2.5 * level.us());
  EXPECT_GT(tapered.us(), 3.5 * level.us()) << "four nodes share a link";
  EXPECT_GT(ring.us(), 3.5 * level.us()) << "each link carries eight messages, or four";
}

TEST(sim_packets, messages_of_a_lane_keep_their_order_on_different_ways) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    for (const bool perturb : {false, true}) {
      sim_options options = through("fat-tree:arity=2,levels=4", 16);
      options.seed = seed;
      options.perturb = perturb;
      simulated_job job(options);
      constexpr std::uint32_t count = 60;
      job.run([&](rank_box& me) {
        // The sizes differ, so that short ones overtake long ones in the network.
        for (std::uint32_t i = 0; i < count; ++i) {
          me.send((me.rank() + 8) % 16, i, i % 7 == 0 ? 3000 : 16);
          (void)me.at().poll(me.rank());
        }
        me.wait_for(count);
        for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(me.arrivals[i].sequence, i);
      });
    }
  }
}

TEST(sim_packets, equal_runs_are_equal_and_seeds_differ) {
  const auto digest = [](std::uint64_t seed, bool perturb) {
    sim_options options = through("fat-tree:arity=2,levels=4", 16);
    options.seed = seed;
    options.perturb = perturb;
    simulated_job job(options);
    job.run([](rank_box& me) {
      for (std::uint32_t i = 1; i < 16; ++i) {
        me.send((me.rank() + static_cast<int>(i)) % 16, i, 700);
      }
      me.wait_for(15);
    });
    return job.report().digest;
  };
  for (const bool perturb : {false, true}) {
    EXPECT_EQ(digest(1, perturb), digest(1, perturb));
    EXPECT_NE(digest(1, perturb), digest(2, perturb));
  }
}

/// A poll sees what came through the network before the rank's clock, also when it never idles.
TEST(sim_packets, polls_see_what_came_before) {
  simulated_job job(through("crossbar:ports=2", 2));
  job.run([](rank_box& me) {
    if (me.rank() == 0) return me.send(1, 0, 1000);
    while (me.arrivals.empty()) {
      me.at().charge(1, cost::poll, 1);
      (void)me.at().poll(1);
    }
    EXPECT_LT(me.now(), ns(300 + 1000 + 1000 * 0.5 + 300 + 100));
    EXPECT_GE(me.now(), ns(300 + 1000 + 999 * 0.5 + 300));
  });
}

network_collective part_of(network_collective::kind what, int rank, int root, std::uint64_t run,
                           std::span<const std::byte> from, std::span<std::byte> into,
                           function_ref<int(int)> world_rank, int members) {
  return {.what = what,
          .root = root,
          .team = static_cast<std::uint64_t>(members),
          .run = run,
          .step = 0,
          .members = members,
          .place = rank,
          .world_rank = world_rank,
          .from = from,
          .into = into,
          .combine = [](const std::byte* a, const std::byte* b, std::byte* to, std::size_t bytes,
                        const void*) {
            for (std::size_t i = 0; i < bytes; ++i) {
              to[i] =
                  static_cast<std::byte>(std::to_integer<int>(a[i]) + std::to_integer<int>(b[i]));
            }
          }};
}

/// Of 16 and of every other rank, one after the other, ranks coming late in turn.
TEST(sim_packets, switches_carry_out_collectives) {
  for (const bool perturb : {false, true}) {
    sim_options options = through("fat-tree:arity=4,levels=2", 16);
    options.perturb = perturb;
    simulated_job job(options);
    EXPECT_TRUE(job.in().endpoint_of(0).describe().network_collectives);
    job.run([](rank_box& me) {
      using kind = network_collective::kind;
      std::uint64_t run = 0;
      for (const int stride : {1, 2}) {
        if (me.rank() % stride != 0) continue;
        const auto world_rank = [stride](int place) { return place * stride; };
        const int members = 16 / stride;
        for (const kind what : {kind::reduce, kind::broadcast, kind::barrier}) {
          for (const int root : {-1, 0, 4}) {
            if (what == kind::broadcast && root < 0) continue;
            for (const std::size_t bytes : {8, 1000}) {
              const std::vector<std::byte> mine(bytes, static_cast<std::byte>(me.rank()));
              std::vector<std::byte> got(bytes, std::byte{99});
              me.at().compute(me.rank(), duration::from_us(static_cast<double>(
                                             (run + 5) * 7 % 3 == 0 ? me.rank() : 16 - me.rank())));
              told_once over;
              (void)me.insist([&] {
                return me.at().join(
                    me.rank(),
                    part_of(what, me.rank() / stride, root, run, mine, got, world_rank, members),
                    &over);
              });
              me.wait_told(over);
              ++run;
              int wanted = 99;
              if (what == kind::reduce && (root < 0 || root == me.rank())) {
                wanted = stride == 1 ? 120 : 56;  // the sum of the ranks
              }
              if (what == kind::broadcast) wanted = root;
              EXPECT_EQ(std::count(got.begin(), got.end(), static_cast<std::byte>(wanted)),
                        static_cast<std::ptrdiff_t>(bytes))
                  << "kind " << static_cast<int>(what) << ", root " << root;
            }
          }
        }
      }
    });
  }
}

TEST(sim_packets, members_that_differ_are_named) {
  for (const bool other_size : {true, false}) {
    simulated_job job(through("crossbar:ports=4", 4));
    try {
      job.run([&](rank_box& me) {
        const bool odd = me.rank() == 3;
        const std::vector<std::byte> mine(odd && other_size ? 4000 : 16, std::byte{1});
        std::vector<std::byte> got(mine.size());
        told_once over;
        const auto self = [](int place) { return place; };
        (void)me.at().join(me.rank(),
                           part_of(network_collective::kind::reduce, me.rank(),
                                   odd && !other_size ? 0 : 1, 0, mine, got, self, 4),
                           &over);
        me.wait_told(over);
      });
      FAIL() << "nobody saw it";
    } catch (const error& failure) {
      EXPECT_NE(std::string(failure.what())
                    .find("rank 3: a collective in the network of 4 members, "
                          "16 bytes and root 1 was joined by member 3 as "),
                std::string::npos)
          << failure.what();
    }
  }
}

TEST(sim_packets, an_all_reduce_in_the_switches_takes_one_pass_of_the_tree) {
  simulated_job job(through("crossbar:ports=4", 4));
  job.run([](rank_box& me) {
    const std::vector<std::byte> mine(16, std::byte{1});
    std::vector<std::byte> got(16);
    told_once over;
    const auto self = [](int place) { return place; };
    (void)me.at().join(
        me.rank(), part_of(network_collective::kind::reduce, me.rank(), -1, 0, mine, got, self, 4),
        &over);
    me.wait_told(over);
    EXPECT_EQ(got[15], std::byte{4});
    // Both overheads, the latency, in the switch four packets of 8 ns each at 4 ns and the crossbar
    // again, and the packet on the second link.
    EXPECT_NEAR(me.now().ns(), 300 + 1000 + 16 * 0.5 + 4 * 4 + 90 + 16 * 0.5 + 300, 1);
  });
}

TEST(sim_packets, refuses_ranks_that_do_not_fit_and_machines_without_costs) {
  EXPECT_THROW((void)make_sim_world(through("crossbar:ports=4", 5)), error);
  sim_options bare = through("crossbar:ports=4", 2);
  bare.on.levels.back().loggp.reset();
  EXPECT_THROW((void)make_sim_world(bare), error);
}

TEST(sim_packets, only_trees_with_a_rank_a_node_have_collectives) {
  const auto has = [](const sim_options& options) {
    return make_sim_world(options)->endpoint_of(0).describe().network_collectives;
  };
  EXPECT_FALSE(has(on_textbook(4)));
  EXPECT_FALSE(has(through("torus:size=2x2", 4)));
  EXPECT_TRUE(has(through("crossbar:ports=4", 4)));
  sim_options two = through("crossbar:ports=4", 4);
  two.on = load_machine("edr:ranks_a_node=2");
  EXPECT_FALSE(has(two));
}

TEST(sim_packets, a_deadlock_names_the_waiting_ranks) {
  simulated_job job(through("crossbar:ports=4", 2));
  try {
    job.run([](rank_box& me) { me.wait_for(1); });
    FAIL() << "no deadlock";
  } catch (const error& failure) {
    EXPECT_NE(std::string(failure.what()).find("  0, 1  waits in messages"), std::string::npos);
  }
}

}  // namespace
