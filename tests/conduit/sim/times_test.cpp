// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Virtual times worked out by hand from LogGP, and multi-ping against Kumar 2005.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/conduit/sim/sim_fixture.hpp"

namespace {

using namespace upwash;
using namespace upwash::conduit;
using namespace upwash::conduit::sim_test;

constexpr duration ns(double value) { return duration::from_ns(value); }

TEST(sim_times, one_message_takes_o_L_G_o) {
  simulated_job job(on_textbook(2));
  job.run([](rank_box& me) {
    if (me.rank() == 0) {
      me.send(1, 0, 101);
      EXPECT_EQ(me.now(), ns(300));
    } else {
      me.wait_for(1);
      EXPECT_EQ(me.now(), ns(300 + 1000 + 100 * 0.5 + 300));
      EXPECT_EQ(me.arrivals[0].when, me.now());
    }
  });
}

TEST(sim_times, burst_is_paced_by_the_larger_of_o_and_g) {
  for (const double gap : {50.0, 700.0}) {
    sim_options options = on_textbook(2);
    options.on = uniform_machine(duration::from_us(1), ns(100), ns(gap), 0);
    simulated_job job(options);
    job.run([gap](rank_box& me) {
      constexpr int count = 10;
      if (me.rank() == 0) {
        for (std::uint32_t i = 0; i < count; ++i) me.send(1, i);
        EXPECT_EQ(me.now(), ns(100) * count);
      } else {
        me.wait_for(count);
        const double pace = std::max(gap, 100.0);
        EXPECT_EQ(me.now(), ns(100 + 1000 + (count - 1) * pace + 100));
      }
    });
  }
}

TEST(sim_times, messages_to_one_receiver_are_spaced_by_its_gap) {
  sim_options options = on_textbook(5);
  options.on = uniform_machine(duration::from_us(1), ns(100), ns(700), 0);
  simulated_job job(options);
  job.run([](rank_box& me) {
    if (me.rank() != 0) return me.send(0, 0);
    me.wait_for(4);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(me.arrivals[i].source, static_cast<int>(i) + 1) << "ties go by source";
      EXPECT_EQ(me.arrivals[i].when, ns(100 + 1000 + 700.0 * double(i) + 100));
    }
  });
}

TEST(sim_times, late_receiver_pays_only_its_overhead) {
  simulated_job job(on_textbook(2));
  job.run([](rank_box& me) {
    if (me.rank() == 0) return me.send(1, 0, 1);
    me.at().compute(1, duration::from_us(50));
    me.wait_for(1);
    EXPECT_EQ(me.now(), duration::from_us(50) + ns(300));
  });
}

TEST(sim_times, communication_thread_bears_the_overheads_one_after_the_other) {
  sim_options options = on_textbook(3);
  options.on = uniform_machine(duration::from_us(1), ns(100), ns(50), 0);
  options.on.processor.communication_thread = true;
  simulated_job job(options);
  job.run([](rank_box& me) {
    if (me.rank() == 0) {
      for (std::uint32_t i = 0; i < 3; ++i) me.send(1, i);
      EXPECT_EQ(me.now(), ns(0)) << "the own processor hands over and goes on";
      me.at().compute(0, duration::from_us(10));
    } else if (me.rank() == 1) {
      // Busy meanwhile: the messages are taken all the same, and cost nothing afterwards.
      me.at().compute(1, duration::from_us(2));
      me.wait_for(3);
      EXPECT_EQ(me.now(), duration::from_us(2));
    } else {
      me.send(2, 0);
      me.wait_for(1);
      EXPECT_EQ(me.now(), ns(100 + 1000 + 100));
      for (std::uint32_t i = 0; i < 3; ++i) me.send(2, i);
      me.wait_for(4);
      // Three sends and three receives by one thread: the last comes in after both.
      EXPECT_EQ(me.now(), ns(1200 + 3 * 100 + 1000 + 100));
      for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(me.arrivals[i + 1].sequence, i);
    }
  });
}

TEST(sim_times, compute_and_charge_advance_one_rank_only) {
  sim_options options = on_textbook(2);
  options.on.processor.copy_ns_per_byte = 2;
  options.on.processor.handler = ns(40);
  simulated_job job(options);
  job.run([](rank_box& me) {
    if (me.rank() != 0) return;
    me.at().compute(0, duration::from_us(3));
    me.at().charge(0, cost::copy, 100);
    me.at().charge(0, cost::handler, 2);
    me.at().charge(0, cost::reduce, 1000);
    EXPECT_EQ(me.now(), ns(3000 + 200 + 80)) << "a cost that the machine lacks is free";
    EXPECT_EQ(me.at().now(1), duration());
  });
}

TEST(sim_times, loop_of_polls_takes_time_and_ends) {
  simulated_job job(on_textbook(2));
  job.run([](rank_box& me) {
    if (me.rank() == 0) return me.send(1, 0, 1);
    while (me.arrivals.empty()) {
      me.at().charge(1, cost::poll, 1);
      me.at().poll(1);
    }
    EXPECT_GE(me.now(), ns(1600));
    EXPECT_LE(me.now(), ns(1700));
  });
}

TEST(sim_times, level_of_the_pair_decides) {
  sim_options options = on_textbook(4);
  machine_level node = options.on.levels[0];
  node.kind = level_kind::node;
  node.ranks = 2;
  node.loggp->latency = ns(200);
  options.on.levels.insert(options.on.levels.begin(), node);
  simulated_job job(options);
  job.run([](rank_box& me) {
    EXPECT_EQ(me.at().place(me.rank()).node, me.rank() / 2);
    if (me.rank() == 0) {
      me.send(1, 0, 1);
      me.send(2, 0, 1);
    } else if (me.rank() == 1) {
      me.wait_for(1);
      EXPECT_EQ(me.now(), ns(300 + 200 + 300));
    } else if (me.rank() == 2) {
      me.wait_for(1);
      EXPECT_EQ(me.now(), ns(600 + 1000 + 300));
    }
  });
}

TEST(sim_times, ranks_of_a_node_share_its_nic) {
  sim_options options = on_textbook(4);
  options.on = uniform_machine(duration::from_us(1), ns(100), ns(700), 0);
  machine_level node = options.on.levels[0];
  node.kind = level_kind::node;
  node.ranks = 2;
  options.on.levels.insert(options.on.levels.begin(), node);
  options.on.nic.of = nic_protocol::owner::node;
  simulated_job job(options);
  job.run([](rank_box& me) {
    if (me.rank() < 2) {
      // Rank 1 hands over first although rank 0 runs first.
      me.at().compute(me.rank(), ns(me.rank() == 0 ? 60 : 10));
      return me.send(me.rank() + 2, 0, 1);
    }
    me.wait_for(1);
    EXPECT_EQ(me.now(), ns(me.rank() == 3 ? 10 + 100 + 1000 + 100 : 10 + 100 + 700 + 1000 + 100));
  });
}

/// Multi-ping (section 2.1.2): each of two nodes sends 128 messages to the other, and answers
/// once when all have come. Microseconds per message.
double multi_ping_us(const machine& on, std::size_t bytes) {
  constexpr int burst = 128;
  sim_options options;
  const int ranks_per_node = on.ranks_in(level_kind::node);
  options.ranks = 2 * ranks_per_node;
  options.on = on;
  simulated_job job(options);
  const memory_block block = job.in().endpoint_of(0).allocate(0, bytes);
  const memory_block other = job.in().endpoint_of(ranks_per_node).allocate(ranks_per_node, bytes);
  const std::vector<std::byte> data(bytes);
  double result = 0;
  job.run([&](rank_box& me) {
    if (me.rank() % ranks_per_node != 0) return;
    const int peer = ranks_per_node - me.rank();
    const remote_memory there = me.at().import(me.rank(), peer, peer == 0 ? block.key : other.key);
    message bare;
    bare.source = me.rank();
    bare.destination = peer;
    for (std::uint32_t i = 0; i < burst; ++i) {
      if (bytes <= me.at().describe().of(nearness::node).medium_bytes) {
        me.send(peer, i, bytes);
      } else {
        (void)me.insist([&] { return me.at().send_long(bare, there, 0, data, nullptr, false); });
      }
    }
    me.wait_for(burst);
    me.send(peer, burst, 1);
    me.wait_for(burst + 1);
    if (me.rank() == 0) result = me.now().us() / burst;
  });
  return result;
}

struct measured {
  std::size_t bytes;
  double us;
};

void expect_multi_ping(const std::string& name, const std::vector<measured>& table, double rel) {
  const machine on = load_machine(name);
  for (const measured& row : table) {
    EXPECT_NEAR(multi_ping_us(on, row.bytes) / row.us, 1, rel)
        << name << ", " << row.bytes << " bytes";
  }
}

TEST(sim_times, multi_ping_on_qsnet_reproduces_figure_2_2) {
  expect_multi_ping("lemieux",
                    {{16, 9.8}, {64, 11.6}, {256, 13.6}, {1024, 21.4}, {4096, 44.4}, {16384, 139}},
                    0.15);
}

TEST(sim_times, multi_ping_on_myrinet_reproduces_figure_2_3) {
  expect_multi_ping("tungsten",
                    {{16, 9.4}, {64, 9.2}, {256, 9.7}, {1024, 11.4}, {4096, 25.4}, {16384, 71.8}},
                    0.15);
}

TEST(sim_times, multi_ping_on_infiniband_is_near_kumar_table_2_18) {
  expect_multi_ping(
      "infiniband",
      {{16, 4.8}, {64, 5.1}, {256, 6.9}, {1024, 9.7}, {4096, 19.0}, {16384, 52.4}, {65536, 207}},
      0.15);
}

}  // namespace
