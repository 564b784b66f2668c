// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in the switches in closed form, against the packets that make them.
#include "upwash/model/network_costs.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/collective_run.hpp"

namespace {

using namespace upwash;  // NOLINT(google-build-using-namespace)
using model::network_collective;

/// Table 8.1 and four nodes.
TEST(network_costs, one_switch_by_hand) {
  const model::fat_tree one(model::k_ary_n_tree(4, 1));
  const model::network_costs with;
  const auto ns = [&](network_collective what, std::uint64_t bytes) {
    return model::collective_time(what, bytes, one, 4, with).ns();
  };
  EXPECT_DOUBLE_EQ(ns(network_collective::broadcast, 16), 2600 + 2 * 20 + 90 + 16 * 0.8);
  EXPECT_DOUBLE_EQ(ns(network_collective::barrier, 0),
                   2600 + 2 * 20 + 2 * 90 + 2 * 16 * 0.8 + 4 * 4);
  EXPECT_DOUBLE_EQ(ns(network_collective::reduce, 64),
                   2600 + 2 * 20 + 2 * 90 + 2 * 64 * 0.8 + 3 * 4);
  EXPECT_EQ(model::collective_time(network_collective::all_reduce, 64, one, 1, with), duration());
}

/// On trees that are full within 4 %; where some branches are shorter, or several units of a switch
/// share the work, packets overlap in ways that the sums do not have.
TEST(network_costs, of_collectives_are_those_of_packets) {
  for (const auto& [arity, levels] : {std::pair{2, 4}, {4, 1}, {4, 2}, {4, 3}, {16, 2}, {8, 2}}) {
    const model::fat_tree on(model::k_ary_n_tree(arity, levels));
    for (const int members : {2, 3, arity, arity + 1, on.nodes() / 2, on.nodes() - 1, on.nodes()}) {
      if (members > on.nodes()) continue;
      std::vector<int> all(static_cast<std::size_t>(members));
      std::iota(all.begin(), all.end(), 0);
      const bool full = members == arity || members == on.nodes();
      for (const int units : {1, 3}) {
        if (units > 1 && !full) continue;
        simulator::network_parameters with;
        with.combine_units = units;
        const double close = full && units == 1 ? 0.04 : 0.12;
        for (const std::uint64_t bytes : {16, 64, 200, 256, 1000, 4096, 65536}) {
          for (const auto what : {network_collective::broadcast, network_collective::reduce,
                                  network_collective::all_reduce}) {
            const double seen = simulator::time_in_network(what, bytes, on, all, with).ns();
            const double said = model::collective_time(what, bytes, on, members, with).ns();
            EXPECT_NEAR(said, seen, close * seen)
                << arity << "-ary, " << levels << " levels, " << members << " members, " << units
                << " units, " << bytes << " bytes, kind " << static_cast<int>(what);
          }
        }
      }
    }
  }
}

TEST(network_costs, machines_have_collectives_with_a_tree_and_a_rank_a_node) {
  EXPECT_TRUE(model::has_network_collectives(load_machine("edr:ranks_a_node=1")));
  for (const char* name : {"edr", "lemieux:ranks_a_node=1", "frontera", "laptop"}) {
    EXPECT_FALSE(model::has_network_collectives(load_machine(name))) << name;
  }
}

}  // namespace
