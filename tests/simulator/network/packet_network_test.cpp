// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The packet network by hand and by law: single packets against the closed form, nothing lost in
// any topology, routing and load, queueing theory, and equal runs for equal seeds.
#include "upwash/simulator/network/packet_network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulator/network/script.hpp"
#include "upwash/base/error.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/simulation.hpp"
#include "upwash/simulator/network/traffic.hpp"

namespace {

using namespace upwash::simulator;  // NOLINT(google-build-using-namespace)
using upwash::duration;
using upwash::error;
using upwash::model::topology;
using upwash::test::make;
using upwash::test::pointer;
using upwash::test::script;

std::vector<std::int64_t> arrivals_of(const std::string& topology_text,
                                      const std::vector<script::line>& lines,
                                      const network_parameters& with = {}) {
  const pointer in = make(topology_text);
  script source(in->nodes(), lines);
  packet_network network(*in, with, source, 1);
  network.drain();
  network.check_at_rest();
  return source.arrivals;
}

/// Switches * 90 + links * 20 + 204.8 + 1300 for the receiver.
std::int64_t alone_ps(int switches) {
  return switches * 90000 + (switches + 1) * 20000 + 204800 + 1300000;
}

TEST(packet_network, a_packet_alone_takes_the_closed_form_on_every_topology) {
  for (const char* text :
       {"crossbar:ports=4", "fat-tree:ports=8,levels=3", "clos:ports=4,levels=2", "mesh:size=4x4",
        "torus:size=4x4x2", "hypercube:dimensions=4", "dragonfly:routers=4,nodes=2,global=2"}) {
    const pointer in = make(text);
    for (int to = 1; to < in->nodes(); ++to) {
      const auto switches = static_cast<int>(upwash::model::preferred_way(*in, 0, {to}).size());
      ASSERT_EQ(arrivals_of(text, {{0, to, 5000}})[0], 5000 + alone_ps(switches)) << text << to;
    }
  }
}

TEST(packet_network, far_nodes_of_256_are_as_far_as_table_8_1_says) {
  EXPECT_EQ(alone_ps(3) - 1300000, 554800);
  EXPECT_EQ(arrivals_of("fat-tree:ports=32,levels=2", {{0, 255, 1300000}})[0], 3154800);
  EXPECT_EQ(arrivals_of("fat-tree:ports=8,levels=4", {{0, 255, 1300000}})[0], 3594800);
}

TEST(packet_network, packets_of_one_node_follow_each_other) {
  const auto at = arrivals_of("crossbar:ports=4", {{0, 1, 0}, {0, 1, 0}, {0, 2, 0, 64}});
  EXPECT_EQ(at[0], alone_ps(1));
  EXPECT_EQ(at[1], alone_ps(1) + 204800);
  EXPECT_EQ(at[2], alone_ps(1) + 2 * 204800 - 204800 + 64 * 800);
}

TEST(packet_network, two_packets_for_one_output_leave_one_after_the_other) {
  const auto at = arrivals_of("crossbar:ports=4", {{0, 3, 0}, {1, 3, 1000}, {2, 3, 2000}});
  EXPECT_EQ(at[0], alone_ps(1));
  EXPECT_EQ(at[1], alone_ps(1) + 204800);
  EXPECT_EQ(at[2], alone_ps(1) + 409600);
}

/// Room for one packet at a crosspoint: the next one starts when the credit is back, that is when
/// the first has left (20 + 90 ns after it started) and 20 ns later; the link is slower than that.
TEST(packet_network, credits_hold_back_who_has_no_room) {
  network_parameters with;
  with.buffers = 1;
  // Node 1 keeps output 3 busy; node 0's packet waits there, so its next one waits at the NIC.
  const auto at =
      arrivals_of("crossbar:ports=4", {{1, 3, 0}, {0, 3, 100000}, {0, 2, 100000}}, with);
  EXPECT_EQ(at[1], alone_ps(1) + 204800);
  // The second leaves the switch at 110 + 204.8; its credit is back 20 ns later.
  EXPECT_EQ(at[2], 110000 + 204800 + 20000 + alone_ps(1));
  with.buffers = 2;
  EXPECT_EQ(arrivals_of("crossbar:ports=4", {{1, 3, 0}, {0, 3, 100000}, {0, 2, 100000}}, with)[2],
            100000 + 204800 + alone_ps(1));
}

TEST(packet_network, the_first_of_an_input_queue_blocks_those_behind) {
  network_parameters with;
  with.design = switch_design::input_queued;
  const std::vector<script::line> lines{{1, 3, 0}, {0, 3, 1000}, {0, 2, 1000}};
  const auto at = arrivals_of("crossbar:ports=4", lines, with);
  EXPECT_EQ(at[1], alone_ps(1) + 204800);
  EXPECT_EQ(at[2], alone_ps(1) + 409600);  // output 2 was free all the time
  with.design = switch_design::output_queued;
  EXPECT_EQ(arrivals_of("crossbar:ports=4", lines, with)[2], 1000 + 204800 + alone_ps(1));
}

struct law_case {
  const char* text;
  const char* routing;
};

/// Open loop for a while, then until all is quiet: all arrive, all credits are back, whatever the
/// load; a network in which packets wait in a circle would stand still.
TEST(packet_network, loses_nothing_and_never_stands_still) {
  for (const law_case& each : {law_case{"crossbar:ports=9", ""},
                               {"fat-tree:ports=8,levels=3", "adaptive"},
                               {"fat-tree:ports=8,levels=3", "random"},
                               {"fat-tree:ports=4,levels=4", "deterministic"},
                               {"fat-tree:ports=8,levels=2,missing=3+9", "destination"},
                               {"fat-tree:arity=4,levels=3,taper=4", "adaptive"},
                               {"clos:ports=6,levels=3", "adaptive"},
                               {"mesh:size=5x4", ""},
                               {"mesh:size=3x3x3", "valiant"},
                               {"torus:size=5x5,nodes=2", ""},
                               {"torus:size=4x4", "valiant"},
                               {"hypercube:dimensions=5", ""},
                               {"dragonfly:routers=4,nodes=2,global=2", "minimal"},
                               {"dragonfly:routers=3,nodes=2,global=2", "valiant"}}) {
    const pointer in = make(each.text, each.routing);
    for (const auto design : {switch_design::output_queued, switch_design::input_queued}) {
      for (const auto credits : {flow_control::crosspoint, flow_control::input}) {
        for (const double load : {0.1, 0.7, 1.0, 3.0}) {
          network_parameters with;
          with.design = design;
          with.credits = credits;
          with.buffers = load > 0.8 ? 1 : 3;
          with.input_queues = load > 2 ? 0 : load > 0.8 ? 3 : 1;
          with.speedup = load > 0.8 ? 1.5 : 1;
          with.arbiter_rounds = credits == flow_control::input ? 2 : 0;
          if (std::string(each.routing) == "random") with.up = up_choice::random;
          synthetic_traffic::plan plan;
          plan.load = load;
          plan.end_ps = 40 * with.packet_time().ps();
          plan.through_others = in->wants_via();
          plan.seed = 7;
          if (load > 2) plan.pattern = parse_traffic("hot-spot:percent=50", in->nodes());
          synthetic_traffic traffic(in->nodes(), with, plan);
          packet_network network(*in, with, traffic, 7);
          network.drain();
          network.check_at_rest();
          EXPECT_EQ(network.packets_sent(), network.packets_arrived()) << each.text;
          EXPECT_EQ(traffic.record().packets(), network.packets_sent()) << each.text;
          EXPECT_GT(network.packets_sent(), static_cast<std::uint64_t>(in->nodes())) << each.text;
        }
      }
    }
  }
}

/// Packets of one output in the order of their birth, one a slot of 204.8 ns; slots begin at
/// multiples of it.
TEST(packet_network, an_arbiter_with_rounds_serves_the_oldest_in_slots) {
  network_parameters with;
  with.design = switch_design::input_queued;
  with.input_queues = 0;
  with.arbiter_rounds = 1;
  const auto at =
      arrivals_of("crossbar:ports=4", {{0, 3, 0}, {1, 3, 2000}, {2, 3, 1000}, {2, 1, 5000}}, with);
  // Born at 0 it is at the switch at 110 ns and waits for the slot that begins at 204.8.
  const auto slot = [](int number) { return number * 204800 + 204800 + 20000 + 1300000; };
  EXPECT_EQ(at[0], slot(1));
  EXPECT_EQ(at[2], slot(2));
  EXPECT_EQ(at[1], slot(3));
  EXPECT_EQ(at[3], slot(3)) << "behind the other one of its node on the link, then free";
}

/// Uniform traffic on one large switch: one round leaves outputs free whose grants inputs did not
/// accept, a few rounds do not (McKeown 1995).
TEST(packet_network, more_rounds_of_an_arbiter_carry_more) {
  const pointer in = make("crossbar:ports=64");
  simulation what;
  what.on = in.get();
  what.load = 1;
  what.with.design = switch_design::input_queued;
  what.with.input_queues = 0;
  what.with.buffers = 127;
  what.with.arbiter_rounds = 1;
  const double one = run(what).accepted;
  what.with.arbiter_rounds = 4;
  const double four = run(what).accepted;
  EXPECT_GT(one, 0.55);
  EXPECT_LT(one, 0.7);
  EXPECT_GT(four, 0.93);
  // One queue an input ends where theory has it, rounds or not.
  what.with.input_queues = 1;
  EXPECT_NEAR(run(what).accepted / (2 - std::sqrt(2.0)), 1, 0.03);
}

simulation plain(const topology& in, double load) {
  simulation what;
  what.on = &in;
  what.load = load;
  return what;
}

TEST(packet_network, equal_seeds_give_equal_runs_and_others_do_not) {
  const pointer in = make("fat-tree:ports=8,levels=3");
  simulation what = plain(*in, 0.8);
  what.packets = 100;
  const simulation_result first = run(what);
  const simulation_result again = run(what);
  EXPECT_EQ(first.digest, again.digest);
  EXPECT_EQ(first.carried, again.carried);
  EXPECT_EQ(first.latency_avg_ns, again.latency_avg_ns);
  what.seed = 2;
  EXPECT_NE(run(what).digest, first.digest);
}

/// One run in figures, as every machine must find them.
TEST(packet_network, a_run_is_the_same_on_every_machine) {
  const pointer in = make("fat-tree:ports=8,levels=3");
  simulation what = plain(*in, 0.8);
  what.packets = 50;
  const simulation_result seen = run(what);
  EXPECT_EQ(seen.packets, 2555U);
  EXPECT_EQ(seen.packet_hops, 94000U);
  EXPECT_NEAR(seen.latency_avg_ns, 4486.13, 0.005);
}

/// One sender: its NIC is an M/D/1 queue, the mean wait of which is rho T / (2 (1 - rho)).
TEST(packet_network, a_nic_waits_as_m_d_1_does) {
  const pointer in = make("crossbar:ports=2");
  for (const double rho : {0.3, 0.5, 0.8}) {
    simulation what = plain(*in, rho);
    what.pattern = parse_traffic("shift:senders=1", 2);
    what.packets = 1000000;
    const double wait = run(what).latency_avg_ns - 1300 - static_cast<double>(alone_ps(1)) * 1e-3;
    EXPECT_NEAR(wait / (rho * 204.8 / (2 * (1 - rho))), 1, 0.02) << rho;
  }
}

/// Many inputs, each with little for an output: the output is an M/D/1 queue, and the NIC another.
TEST(packet_network, an_output_of_a_large_switch_waits_as_m_d_1_does) {
  const pointer in = make("crossbar:ports=256");
  for (const double rho : {0.5, 0.8}) {
    simulation what = plain(*in, rho);
    what.with.buffers = 100;
    what.packets = 3000;
    const double wait = run(what).latency_avg_ns - 1300 - static_cast<double>(alone_ps(1)) * 1e-3;
    EXPECT_NEAR(wait / (2 * rho * 204.8 / (2 * (1 - rho))), 1, 0.02) << rho;
  }
}

/// Closed loop: one packet under way takes the way alone, many fill the link.
TEST(packet_network, a_closed_loop_has_so_many_packets_under_way) {
  const pointer in = make("crossbar:ports=4");
  simulation what = plain(*in, 1);
  what.pattern = parse_traffic("shift:by=1", 4);
  const double alone = 1300 + static_cast<double>(alone_ps(1)) * 1e-3;
  for (const int packets : {1, 3, 8}) {
    what.outstanding = packets;
    const simulation_result seen = run(what);
    EXPECT_NEAR(seen.accepted, packets * 204.8 / alone, 0.01) << packets;
    EXPECT_NEAR(seen.latency_avg_ns, alone, 1e-6) << packets;
  }
  what.outstanding = 50;
  EXPECT_NEAR(run(what).accepted, 1, 0.001);
  EXPECT_NEAR(run(what).latency_avg_ns, 50 * 204.8, 1);  // Little's law
}

/// Karol, Hluchyj and Morgan 1987: 2 - sqrt 2 for one queue an input.
TEST(packet_network, input_queues_saturate_at_two_minus_the_root_of_two) {
  const pointer in = make("crossbar:ports=256");
  simulation what = plain(*in, 1);
  what.with.design = switch_design::input_queued;
  what.with.buffers = 64;
  EXPECT_NEAR(run(what).accepted / (2 - std::sqrt(2.0)), 1, 0.02);
}

TEST(packet_network, bad_parameters_are_named) {
  const pointer in = make("crossbar:ports=2");
  const auto complaint = [&](const network_parameters& with) -> std::string {
    script nothing(2, {});
    try {
      packet_network(*in, with, nothing, 1).drain();
    } catch (const error& wrong) {
      EXPECT_EQ(wrong.exit_status(), 2);
      return wrong.what();
    }
    return "none";
  };
  network_parameters with;
  EXPECT_EQ(complaint(with), "none");
  with.buffers = 0;
  EXPECT_EQ(complaint(with), "network: 0 packets of buffer; valid are 1 to 127");
  with = {};
  with.speedup = 0.5;
  EXPECT_EQ(complaint(with), "network: a speed-up of 0.5; valid is 1 to 64");
  with = {};
  with.ps_per_byte = 0;
  EXPECT_EQ(complaint(with), "network: packets must take time on a link");
}

}  // namespace
