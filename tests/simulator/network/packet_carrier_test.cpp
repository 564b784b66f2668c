// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules of collectives replayed through the packet network: one message by hand, all
// algorithms to their end, contention that the message level does not see.
#include "upwash/simulator/network/packet_carrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/schedule/written_schedules.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/cost.hpp"
#include "upwash/model/topology_fat_tree.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/collective_run.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;  // NOLINT(google-build-using-namespace)
using simulator::packet_carrier;

std::unique_ptr<const model::topology> make(const std::string& text) {
  return model::make_topology(model::parse_topology(text), "");
}

/// Table 8.1 with the overheads at the processors.
machine infiniband() {
  return uniform_machine(duration(), duration::from_ns(1300), duration(), 0.8);
}
simulator::network_parameters links() {
  simulator::network_parameters with;
  with.send_overhead = with.receive_overhead = duration();
  return with;
}

collective::problem problem_of(collective::kind what, int ranks, std::uint64_t bytes) {
  collective::problem call;
  call.of = what;
  call.ranks = ranks;
  call.bytes = bytes;
  call.element_bytes = bytes % 8 == 0 ? 8 : 1;
  call.addresses = schedule::address_mode::single;
  return call;
}

struct outcome {
  duration completion;
  std::uint64_t hops = 0;
  std::uint64_t digest = 0;
};

outcome replayed(const collective::problem& call, const collective::selection& with,
                 const machine& on, const model::topology& network,
                 const simulator::network_parameters& parameters, int ranks_per_node = 1) {
  packet_carrier carrier(network, parameters, call.ranks, ranks_per_node, 1);
  simulator::replay_options options;
  options.free_where_absent = true;
  options.through = &carrier;
  schedule::transfer_rules rules;
  rules.addresses = call.addresses;
  outcome result;
  const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
  for (const auto& each : simulator::replay(call.ranks, steps, on, rules, options)) {
    result.completion = std::max(result.completion, each.completion);
  }
  result.hops = carrier.network().packet_hops();
  result.digest = carrier.network().digest();
  return result;
}

outcome replayed(const std::string& algorithm, const collective::problem& call, const machine& on,
                 const model::topology& network, const simulator::network_parameters& parameters) {
  collective::registry all;
  collective::add_algorithms(all);
  return replayed(call, all.named(call.of, algorithm), on, network, parameters);
}

TEST(packet_carrier, a_message_by_hand) {
  const auto on = make("crossbar:ports=4");
  simulator::network_parameters with = links();
  with.message_gap = duration::from_ns(500);
  packet_carrier carrier(*on, with, 4, 1, 1);
  std::vector<std::pair<std::uint64_t, duration>> seen;
  const auto arrived = [&](std::uint64_t id, duration at) { seen.emplace_back(id, at); };
  carrier.send({}, 0, 1, 1000, 7);  // 256 + 256 + 256 + 232 bytes
  carrier.send({}, 0, 2, 0, 8);     // 16 bytes, behind it
  EXPECT_FALSE(carrier.run(duration::from_ns(929), arrived));
  EXPECT_TRUE(carrier.run(duration::from_ns(930), arrived));
  EXPECT_TRUE(carrier.run(duration::max(), arrived));
  EXPECT_FALSE(carrier.run(duration::max(), arrived));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], (std::pair{std::uint64_t{7}, duration::from_ns(130 + 800)}));
  // The gap is between the last byte of the first message and the first of the second.
  EXPECT_EQ(seen[1].first, 8U);
  EXPECT_EQ(seen[1].second, duration::from_ns(800 + 500 + 130 + 12.8));
}

TEST(packet_carrier, refuses_ranks_that_do_not_fit) {
  const auto on = make("crossbar:ports=4");
  EXPECT_THROW(packet_carrier(*on, links(), 5, 1, 1), error);
  EXPECT_THROW(packet_carrier(*on, links(), 4, 0, 1), error);
}

TEST(packet_carrier, all_algorithms_come_to_their_end_and_again_the_same) {
  collective::registry all;
  collective::add_algorithms(all);
  for (const char* text : {"fat-tree:arity=2,levels=4", "torus:size=4x4",
                           "dragonfly:routers=2,"
                           "nodes=2,global=2"}) {
    const auto network = make(text);
    for (const auto what : {collective::kind::barrier, collective::kind::broadcast,
                            collective::kind::all_gather, collective::kind::all_to_all,
                            collective::kind::all_reduce, collective::kind::reduce_scatter}) {
      const collective::problem call = problem_of(what, 16, 4096);
      for (const collective::algorithm* one : all.of(what)) {
        const collective::selection with{one, model::initial_values(one->is)};
        if (!collective::registry::objection(with, call).empty()) continue;
        const outcome first = replayed(call, with, infiniband(), *network, links());
        EXPECT_GT(first.completion, duration::from_ns(2600)) << one->is.name;
        EXPECT_GT(first.hops, 16U) << one->is.name;
        EXPECT_EQ(first.digest, replayed(call, with, infiniband(), *network, links()).digest);
      }
    }
  }
}

TEST(packet_carrier, ranks_of_a_node_do_not_use_the_network) {
  const auto network = make("crossbar:ports=2");
  machine on = infiniband();
  on.levels.insert(on.levels.begin(), on.levels.front());
  on.levels.front().kind = level_kind::node;
  on.levels.front().ranks = 8;
  collective::registry all;
  collective::add_algorithms(all);
  const collective::problem call = problem_of(collective::kind::barrier, 8, 0);
  const auto with = all.named(call.of, "dissemination");
  EXPECT_EQ(replayed(call, with, on, *network, links(), 8).hops, 0U);
  const collective::problem both = problem_of(collective::kind::barrier, 16, 0);
  EXPECT_GT(replayed(both, with, on, *network, links(), 8).hops, 0U);
}

/// One link upwards for four nodes carries 12 blocks of each of them, 65536 * 0.8 ns long; the
/// message level cannot tell this tree from the full one.
TEST(packet_carrier, sees_contention_that_the_message_level_does_not) {
  const auto full = make("fat-tree:arity=4,levels=2");
  const auto tapered = make("fat-tree:arity=4,levels=2,taper=4");
  const collective::problem call = problem_of(collective::kind::all_to_all, 16, 65536);
  const duration wide = replayed("pairwise", call, infiniband(), *full, links()).completion;
  const duration narrow = replayed("pairwise", call, infiniband(), *tapered, links()).completion;
  const double link_us = 4 * 12 * 65536 * 0.8e-3;
  EXPECT_GT(narrow.us(), link_us);
  EXPECT_LT(narrow.us(), 1.3 * link_us);
  EXPECT_LT(wide.us(), 0.6 * link_us);
}

/// Recursive doubling of 256 nodes with table 8.1: 23.6 to 28.8 us, against one pass of the tree
/// when the switches reduce: 6.6 to 8 times as fast.
TEST(packet_carrier, an_all_reduce_in_the_switches_beats_recursive_doubling_by_the_closed_forms) {
  const auto network = make("fat-tree:ports=32,levels=2");
  const collective::problem call = problem_of(collective::kind::all_reduce, 256, 8);
  const double software =
      replayed("recursive_doubling", call, infiniband(), *network, links()).completion.ns();
  EXPECT_GT(software, 21800);  // 8 (2600 + 130): the first steps stay below one switch
  EXPECT_LT(software, 28800);
  std::vector<int> members(256);
  std::iota(members.begin(), members.end(), 0);
  const model::fat_tree tree(model::k_ary_n_tree(16, 2));
  const double hardware = time_in_network(simulator::network_collective::all_reduce, 8, tree,
                                          members, simulator::network_parameters())
                              .ns();
  EXPECT_GT(software / hardware, 6.6);
  EXPECT_LT(software / hardware, 8);
}

/// Steps in the network, the same on every rank but for the root's.
outcome replayed_steps(const schedule::testing::ranks_of_steps& all, const model::topology& network,
                       const simulator::network_parameters& parameters) {
  const int ranks = static_cast<int>(all.size());
  packet_carrier carrier(network, parameters, ranks, 1, 1);
  simulator::replay_options options;
  options.free_where_absent = true;
  options.through = &carrier;
  outcome result;
  const auto steps = [&](int rank) { return schedule::testing::schedule_of(all, rank); };
  for (const auto& each : simulator::replay(ranks, steps, infiniband(), {}, options)) {
    result.completion = std::max(result.completion, each.completion);
  }
  result.hops = carrier.network().packet_hops();
  return result;
}

schedule::step in_network(schedule::step_kind kind, int root, std::uint32_t edge,
                          std::uint64_t bytes) {
  schedule::step s;
  s.kind = kind;
  s.peer = root;
  s.edge = edge;
  s.left = {schedule::buffer::input, 0, bytes};
  s.into = {schedule::buffer::output, 0, bytes};
  return s;
}

TEST(packet_carrier, steps_in_the_network_take_one_pass_of_the_tree) {
  const model::fat_tree tree(model::k_ary_n_tree(4, 2));
  std::vector<int> members(16);
  std::iota(members.begin(), members.end(), 0);
  const auto alone = [&](simulator::network_collective what, std::uint64_t bytes) {
    return time_in_network(what, bytes, tree, members, links()) + duration::from_ns(2600);
  };
  using schedule::step_kind;
  const auto replayed_one = [&](step_kind kind, int root, std::uint64_t bytes) {
    return replayed_steps({16, {in_network(kind, root, 3, bytes)}}, tree, links()).completion;
  };
  for (const std::uint64_t bytes : {16, 64, 200, 1000}) {
    EXPECT_EQ(replayed_one(step_kind::net_reduce, schedule::own, bytes),
              alone(simulator::network_collective::all_reduce, bytes));
    EXPECT_EQ(replayed_one(step_kind::net_reduce, 0, bytes),
              alone(simulator::network_collective::reduce, bytes));
    EXPECT_EQ(replayed_one(step_kind::net_multicast, 0, bytes),
              alone(simulator::network_collective::broadcast, bytes));
  }
  EXPECT_EQ(replayed_one(step_kind::net_barrier, schedule::own, 0),
            alone(simulator::network_collective::barrier, 0));
}

/// One after the other: an all-reduce as reduction and multicast, then barriers.
TEST(packet_carrier, steps_in_the_network_follow_each_other) {
  using schedule::step_kind;
  using schedule::testing::then;
  const model::fat_tree tree(model::k_ary_n_tree(2, 4));
  const std::vector<schedule::step> mine{
      in_network(step_kind::net_reduce, 5, 1, 64),
      then(in_network(step_kind::net_multicast, 5, 1, 64)),
      then(in_network(step_kind::net_barrier, schedule::own, 1, 0)),
      then(in_network(step_kind::net_barrier, schedule::own, 2, 0))};
  const outcome all = replayed_steps({16, mine}, tree, links());
  const outcome one = replayed_steps({16, {mine[2]}}, tree, links());
  EXPECT_GT(all.completion.ps(), 3.5 * static_cast<double>(one.completion.ps()));
  EXPECT_EQ(one.hops, 2U * 30);  // every link of a tree of 15 switches, up and down
}

TEST(packet_carrier, steps_in_the_network_need_a_network_that_has_them) {
  using schedule::step_kind;
  const std::vector<schedule::step> mine{in_network(step_kind::net_barrier, schedule::own, 1, 0)};
  EXPECT_THROW((void)replayed_steps({16, mine}, *make("torus:size=4x4"), links()), error);
  simulator::network_parameters input_queued = links();
  input_queued.design = simulator::switch_design::input_queued;
  EXPECT_THROW((void)replayed_steps({4, mine}, *make("crossbar:ports=4"), input_queued), error);
}

TEST(packet_carrier, parameters_of_a_machine) {
  const auto one_switch = make("crossbar:ports=4");
  const machine lemieux = load_machine("lemieux");
  const auto with = simulator::parameters_of(lemieux, *one_switch);
  EXPECT_EQ(with.packet_bytes, 320U);
  EXPECT_EQ(with.packets_in_flight, 1);
  EXPECT_EQ(with.nic_ps_per_byte, 8000);
  EXPECT_EQ(with.message_gap, duration::from_us(5.5)) << "half of alpha, for either direction";
  // alpha without the processors' 5.6 us, a switch of 35 ns and two wires of 6 ns.
  EXPECT_EQ(with.send_overhead, duration::from_ns((5400 - 47) / 2.0));
  EXPECT_EQ(simulator::parameters_of(lemieux, *one_switch, true).nic_ps_per_byte, 3280);
  const machine edr = load_machine("edr");
  EXPECT_THROW((void)simulator::parameters_of(edr, *one_switch, true), error);
  machine bare;
  bare.levels.emplace_back();
  EXPECT_THROW((void)simulator::parameters_of(bare, *one_switch), error);
}

/// One message between far nodes, by all machines that say what one takes; the first byte counts as
/// transfer here, as latency there.
TEST(packet_carrier, a_message_alone_takes_what_the_message_level_says) {
  for (const char* name : {"edr", "lemieux", "tungsten", "infiniband", "summit", "frontera"}) {
    const machine on = load_machine(name);
    const auto one_switch = make("crossbar:ports=4");
    const auto with = simulator::parameters_of(on, *one_switch);
    for (const std::uint64_t bytes : {16, 320, 4096, 1 << 20}) {
      packet_carrier carrier(*one_switch, with, 4, 1, 1);
      duration seen;
      carrier.send({}, 0, 3, bytes, 1);
      ASSERT_TRUE(carrier.run(duration::max(), [&](std::uint64_t, duration at) { seen = at; }));
      const auto wanted = model::cost_of_message(on, on.levels.size() - 1, bytes);
      const double level = (wanted.latency + wanted.transfer).ns();
      // Links carry the rate of long messages; some machines start short ones at others. Where
      // processors copy, the message level takes that from the network's time; links do not.
      const machine_level& far = on.levels.back();
      const bool one_rate = !far.alpha_beta || bytes >= 1 << 20;
      const double copies =
          static_cast<double>(bytes) * (far.send_ns_per_byte + far.receive_ns_per_byte);
      EXPECT_NEAR(seen.ns(), level + copies, (one_rate ? 0.01 : 0.5) * level + 2)
          << name << ' ' << bytes;
    }
  }
}

/// What messages of 64 B between two nodes take, from one to the other or both ways.
TEST(packet_carrier, both_ways_share_the_rate_of_a_nic_with_one_budget) {
  const auto one_switch = make("crossbar:ports=2");
  const auto time = [&](const machine& on, bool both) {
    packet_carrier carrier(*one_switch, simulator::parameters_of(on, *one_switch), 2, 1, 1);
    for (std::uint64_t i = 0; i < 50; ++i) {
      carrier.send({}, 0, 1, 64, i);
      if (both) carrier.send({}, 1, 0, 64, 100 + i);
    }
    duration last;
    while (carrier.run(duration::max(), [&](std::uint64_t, duration at) { last = at; })) {
    }
    return last.us();
  };
  const machine lemieux = load_machine("lemieux");
  ASSERT_EQ(lemieux.nic.traffic, nic_protocol::budget::shared);
  EXPECT_NEAR(time(lemieux, true) / time(lemieux, false), 1.9, 0.2);  // the latency is there once
  EXPECT_NEAR(time(lemieux, true), 50 * model::pipelined_time(lemieux, 1, 64).us(), 40);
  const machine edr = load_machine("edr");
  EXPECT_NEAR(time(edr, true) / time(edr, false), 1, 0.01);
}

/// With less latency than the delays of table 8.1 these are shortened.
TEST(packet_carrier, delays_fit_into_the_latency_of_the_machine) {
  const auto tree = make("fat-tree:ports=4,levels=4");
  const machine fast = uniform_machine(duration::from_ns(100), {}, {}, 0.1);
  const auto with = simulator::parameters_of(fast, *tree);
  EXPECT_EQ(with.send_overhead, duration());
  EXPECT_LT(with.switch_delay, duration::from_ns(20));
  EXPECT_GT(with.switch_delay, duration::from_ns(10));
  EXPECT_NEAR(with.switch_delay.ns() / with.channel_delay.ns(), 4.5, 0.01);
}

}  // namespace
