// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links shared by messages: without contention as on the message-level network, with it by hand and
// as the packet network has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/schedule/written_schedules.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"
#include "upwash/simulator/network/traffic.hpp"
#include "upwash/simulator/replay.hpp"

namespace {

using namespace upwash;
using namespace schedule::testing;
using schedule::step_kind;
using simulator::replay_options;
using simulator::replayed_rank;

constexpr std::int64_t ps_per_byte = 800;

/// Table 8.1 with the overheads at the processors.
machine infiniband() {
  return uniform_machine(duration(), duration::from_ns(1300), duration(), 0.8);
}

std::unique_ptr<const model::topology> network(const std::string& text,
                                               const std::string& routing = "") {
  return model::make_topology(model::parse_topology(text), routing);
}

/// Everybody sends to its partner.
ranks_of_steps exchange(const simulator::traffic_pattern& pattern, int ranks, std::uint64_t bytes) {
  ranks_of_steps all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const int partner = pattern.partner(rank, ranks);
    if (partner == rank) continue;
    all[static_cast<std::size_t>(rank)].push_back(to_peer(step_kind::send, partner, 1, bytes));
    all[static_cast<std::size_t>(partner)].push_back(to_peer(step_kind::receive, rank, 1, bytes));
  }
  return all;
}

std::vector<replayed_rank> replayed(const ranks_of_steps& all, const machine& on,
                                    const replay_options& options) {
  schedule::transfer_rules rules;
  rules.eager_bytes = 1 << 30;
  const auto steps = [&](int rank) { return schedule_of(all, rank); };
  return simulator::replay(static_cast<int>(all.size()), steps, on, rules, options);
}

replay_options shared(const model::topology& on) {
  replay_options options;
  options.free_where_absent = true;
  options.links = {&on, ps_per_byte};
  return options;
}

double last_us(const std::vector<replayed_rank>& ranks) {
  duration last;
  for (const replayed_rank& each : ranks) last = std::max(last, each.completion);
  return last.us();
}

double by_packets(const ranks_of_steps& all, const model::topology& on) {
  simulator::network_parameters with;
  with.send_overhead = with.receive_overhead = duration();
  simulator::packet_carrier carrier(on, with, static_cast<int>(all.size()), 1, 1);
  replay_options options;
  options.free_where_absent = true;
  options.through = &carrier;
  return last_us(replayed(all, infiniband(), options));
}

}  // namespace

TEST(shared_links, that_nobody_shares_change_nothing) {
  const auto crossbar = network("crossbar:ports=24");
  collective::registry all;
  collective::add_algorithms(all);
  machine on = infiniband();
  on.levels.front().loggp->latency = duration::from_us(1);
  for (const collective::kind what :
       {collective::kind::all_to_all, collective::kind::all_reduce, collective::kind::broadcast}) {
    for (const collective::algorithm* one : all.of(what)) {
      collective::problem call;
      call.of = what;
      call.ranks = 24;
      call.bytes = 3000;
      call.addresses = schedule::address_mode::single;
      const collective::selection with{one, model::initial_values(one->is)};
      if (!collective::registry::objection(with, call).empty()) continue;
      const auto steps = [&](int rank) { return with.schedule_of(call, rank); };
      replay_options alone;
      alone.free_where_absent = true;
      const auto a = simulator::replay(24, steps, on, {}, alone);
      const auto b = simulator::replay(24, steps, on, {}, shared(*crossbar));
      for (std::size_t rank = 0; rank < a.size(); ++rank) {
        EXPECT_EQ(a[rank].completion, b[rank].completion) << one->is.name << ", rank " << rank;
      }
    }
  }
}

/// Three nodes of a line send over the link between switches 2 and 3: each has a third of it.
TEST(shared_links, give_each_message_its_part_of_the_most_loaded_one) {
  const auto line = network("mesh:size=6");
  ranks_of_steps all(6);
  constexpr std::uint64_t bytes = 10'001;
  for (int rank = 0; rank < 3; ++rank) {
    all[static_cast<std::size_t>(rank)] = {to_peer(step_kind::send, rank + 3, 1, bytes)};
    all[static_cast<std::size_t>(rank) + 3] = {to_peer(step_kind::receive, rank, 1, bytes)};
  }
  // Overheads of 1.3 us at both ends, three times 10,001 bytes at 0.8 ns.
  for (std::size_t rank = 3; rank < 6; ++rank) {
    EXPECT_NEAR(replayed(all, infiniband(), shared(*line))[rank].completion.ns(),
                2600 + 3 * 0.8 * bytes, 0.01);
  }
}

/// Nine of ten within a quarter. On grids packets also wait for others than those on their links:
/// who is in front of them in a buffer, lanes; there flows end in half the time at the least.
TEST(shared_links, end_permutations_when_packets_do) {
  int runs = 0;
  int apart = 0;
  struct where {
    const char* topology;
    const char* routing;
  };
  for (const where& at : {where{"mesh:size=8x8", ""}, where{"torus:size=8x8", ""},
                          where{"fat-tree:ports=8,levels=3", "destination"},
                          where{"fat-tree:ports=8,levels=3,taper=2", "destination"},
                          where{"dragonfly:routers=4,nodes=2,global=2,groups=8", ""}}) {
    const auto on = network(at.topology, at.routing);
    for (const char* traffic :
         {"shift:by=1", "shift:by=9", "shift:by=32", "transpose", "bit-reversal", "complement"}) {
      const auto pattern = simulator::parse_traffic(traffic, 64);
      const ranks_of_steps all = exchange(pattern, 64, 65'536);
      const double packets = by_packets(all, *on);
      const double flows = last_us(replayed(all, infiniband(), shared(*on)));
      const bool on_grid = std::string(at.topology).find("size=") != std::string::npos;
      const std::string run = std::string(at.topology) + ", " + traffic;
      EXPECT_LT(flows / packets, 1.25) << run << ": " << flows << " by flows, " << packets;
      EXPECT_GT(flows / packets, on_grid ? 0.5 : 0.75) << run;
      ++runs;
      if (flows / packets < 0.75) ++apart;
    }
  }
  EXPECT_LE(10 * apart, runs);
}

TEST(shared_links, refuse_what_is_too_small_and_two_networks) {
  const auto line = network("mesh:size=6");
  const ranks_of_steps all(7);
  EXPECT_THROW((void)replayed(all, infiniband(), shared(*line)), error);
  replay_options both = shared(*line);
  simulator::packet_carrier carrier(*line, {}, 6, 1, 1);
  both.through = &carrier;
  EXPECT_THROW((void)replayed(ranks_of_steps(6), infiniband(), both), error);
}
