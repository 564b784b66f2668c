// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in the network: one step a rank, right by the validator, asked for by name only where
// the network has them.
#include "upwash/collective/algorithms/in_network.hpp"

#include <gtest/gtest.h>

#include "tests/collective/cases.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {
namespace {

problem call_of(kind what, int ranks, std::uint64_t bytes) {
  problem call;
  call.what = what;
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
