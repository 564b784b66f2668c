// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in the network: one step a rank, right by the validator, asked for by name only where
// the network has them.
#include "upwash/collective/algorithms/in_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/collective/cases.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/selector.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/schedule/price.hpp"
#include "upwash/simulator/network/packet_carrier.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::collective {
namespace {

problem call_of(kind what, int ranks, std::uint64_t bytes) {
  problem call;
  call.of = what;
  call.ranks = ranks;
  call.bytes = bytes;
  call.element_bytes = 8;
  call.root = ranks / 2;
  call.network_collectives = true;
  return call;
}

TEST(in_network, every_rank_gets_what_the_collective_promises) {
  registry all;
  add_algorithms(all);
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const kind what : {kind::barrier, kind::broadcast, kind::reduce, kind::all_reduce}) {
      const problem call = call_of(what, ranks, what == kind::barrier ? 0 : 40);
      const selection with = all.named(what, "in_network");
      ASSERT_EQ(registry::objection(with, call), "");
      schedule::expectation of;
      of.ranks = ranks;
      of.element_bytes = 8;
      of.input_bytes = of.output_bytes = call.bytes;
      of.synchronizes = what == kind::barrier;
      const auto wanted = [&](int rank, std::uint64_t element) -> schedule::abstract_value {
        if (what == kind::broadcast) return {{call.root, static_cast<std::uint32_t>(element)}};
        if (what == kind::reduce && rank != call.root) return {};
        return all_ranks(ranks, element);
      };
      const std::string wrong = schedule::validate(
          of, [&](int rank) { return with.schedule_of(call, rank); }, wanted, 1);
      ASSERT_EQ(wrong, "") << to_string(what) << " of " << ranks;
    }
  }
}

/// The price against the packets, both with the processors' overheads: 64 nodes of edr are four
/// switches at the leaves, the last one not full.
TEST(in_network, is_priced_as_the_packets_take) {
  registry all;
  add_algorithms(all);
  const machine edr = load_machine("edr:ranks_a_node=1");
  for (const int ranks : {2, 18, 64, 324}) {
    const auto network = model::make_topology(model::topology_of(edr, ranks));
    const auto with = simulator::parameters_of(edr, *network);
    for (const kind what : {kind::barrier, kind::broadcast, kind::reduce, kind::all_reduce}) {
      for (const std::uint64_t bytes : {8, 4096, 65536}) {
        problem call = call_of(what, ranks, what == kind::barrier ? 0 : bytes);
        call.root = 0;
        const selection by = all.named(what, "in_network");
        const auto steps = [&](int rank) { return by.schedule_of(call, rank); };
        simulator::packet_carrier carrier(*network, with, ranks, 1, 1);
        simulator::replay_options options;
        options.free_where_absent = true;
        options.through = &carrier;
        duration seen;
        for (const auto& each : simulator::replay(ranks, steps, edr, {}, options)) {
          seen = std::max(seen, each.completion);
        }
        schedule::price_options free;
        free.free_where_absent = true;
        const duration said = schedule::price(ranks, steps, edr, {}, free).completion;
        EXPECT_NEAR(said.us(), seen.us(), 0.06 * seen.us())
            << to_string(what) << " of " << bytes << " bytes among " << ranks;
      }
    }
  }
}

/// Who gives its part waits for nobody, who gets the result for the last one.
TEST(in_network, prices_wait_for_those_that_come_late) {
  const machine edr = load_machine("edr:ranks_a_node=1");
  schedule::price_options options;
  options.free_where_absent = true;
  options.per_rank = true;
  const auto priced = [&](schedule::step_kind kind, int root) {
    const auto steps = [&](int) { return schedule::generator(in_network(kind, 64, root, false)); };
    return schedule::price(4, steps, edr, {}, options).ranks;
  };
  const auto reduced = priced(schedule::step_kind::net_reduce, 2);
  EXPECT_GT(reduced[2].completion, reduced[0].completion);
  EXPECT_EQ(reduced[0].completion, reduced[3].completion);
  const auto cast = priced(schedule::step_kind::net_multicast, 2);
  EXPECT_LT(cast[2].completion, cast[0].completion);
  const machine laptop = load_machine("laptop");
  const auto barrier = [](int) {
    return schedule::generator(
        in_network(schedule::step_kind::net_barrier, 0, schedule::own, false));
  };
  EXPECT_THROW((void)schedule::price(4, barrier, laptop, {}, options), error);
}

/// For short vectors the tuner's prices prefer the switches, for long ones they do not: combine
/// units take in 1 GB/s.
TEST(in_network, is_chosen_where_it_is_cheapest) {
  registry all;
  add_algorithms(all);
  const auto selector = make_model_selector("edr:ranks_a_node=1");
  problem call = call_of(kind::all_reduce, 256, 8);
  EXPECT_EQ(selector->choose(all, call).what.chosen->is.name, "in_network");
  call.bytes = std::uint64_t{16} << 20U;
  EXPECT_NE(selector->choose(all, call).what.chosen->is.name, "in_network");
  call.bytes = 8;
  call.network_collectives = false;
  EXPECT_NE(selector->choose(all, call).what.chosen->is.name, "in_network");
}

TEST(in_network, needs_a_network_that_has_them) {
  registry all;
  add_algorithms(all);
  problem call = call_of(kind::all_reduce, 4, 8);
  const selection with = all.named(kind::all_reduce, "in_network");
  call.commutative = false;
  EXPECT_NE(registry::objection(with, call), "");
  call = call_of(kind::all_reduce, 4, 8);
  call.network_collectives = false;
  EXPECT_EQ(registry::objection(with, call),
            "in_network needs collectives in the network (simulated: network packet, a fat tree, "
            "one rank a node)");
}

}  // namespace
}  // namespace upwash::collective
