// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ways chosen by load: what they carry against ways that are given, on traffic that suits the
// latter and on traffic that does not. That nothing stands still with them: packet_network_test.
#include <gtest/gtest.h>

#include <string>

#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/simulation.hpp"

namespace {

using namespace upwash;

/// Share of the links' rate that arrives when more is offered than the network carries.
double accepted(const std::string& topology, const std::string& routing, const std::string& traffic,
                double load) {
  const auto on = model::make_topology(model::parse_topology(topology), routing);
  simulator::simulation what;
  what.on = on.get();
  what.pattern = simulator::parse_traffic(traffic, on->nodes());
  what.load = load;
  what.warm_up_packets = 150;
  what.packets = 200;
  return run(what).accepted;
}

}  // namespace

TEST(adaptive_routing, carries_twice_the_transpose_of_dimension_order_on_a_mesh) {
  const std::string mesh = "mesh:size=16x16";
  EXPECT_GT(accepted(mesh, "adaptive", "transpose", 0.8),
            1.7 * accepted(mesh, "dimension-order", "transpose", 0.8));
  EXPECT_GT(accepted(mesh, "adaptive", "uniform", 0.8),
            accepted(mesh, "dimension-order", "uniform", 0.8));
}

/// Uniform traffic goes straight, traffic of a group to the next one around.
TEST(adaptive_routing, of_a_dragonfly_goes_straight_or_around_by_load) {
  const std::string dragonfly = "dragonfly:routers=4,nodes=2,global=2";
  EXPECT_GT(accepted(dragonfly, "ugal", "uniform", 0.6), 0.57);
  EXPECT_LT(accepted(dragonfly, "valiant", "uniform", 0.6), 0.55);
  EXPECT_GT(accepted(dragonfly, "ugal", "shift:by=8", 0.6),
            2 * accepted(dragonfly, "minimal", "shift:by=8", 0.6));
}
