// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands still, starves or goes in circles is named.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simulator/network/script.hpp"
#include "upwash/base/error.hpp"
#include "upwash/simulator/network/packet_network.hpp"
#include "upwash/simulator/network/simulation.hpp"

namespace {

using namespace upwash::simulator;  // NOLINT(google-build-using-namespace)
using upwash::duration;
using upwash::error;
using upwash::model::topology;
using upwash::test::make;
using upwash::test::pointer;
using upwash::test::script;

/// A torus without the second lane that its routing needs.
class torus_of_one_lane final : public topology {
 public:
  torus_of_one_lane() : torus_(make("torus:size=4x4")) {
    nodes_ = torus_->nodes();
    switches_ = torus_->switches();
    name_ = "torus of one lane";
  }
  [[nodiscard]] int ports(int s) const override { return torus_->ports(s); }
  [[nodiscard]] upwash::model::port_end end(int s, int port) const override {
    return torus_->end(s, port);
  }
  [[nodiscard]] upwash::model::port_end attachment(int node) const override {
    return torus_->attachment(node);
  }
  [[nodiscard]] upwash::model::hop next(int s, int port, int lane,
                                        upwash::model::bound& goal) const override {
    upwash::model::hop result = torus_->next(s, port, lane, goal);
    result.lane = 0;
    return result;
  }

 private:
  pointer torus_;
};

TEST(packet_watchdog, names_a_standstill) {
  const torus_of_one_lane on;
  simulation what;
  what.on = &on;
  what.with.buffers = 1;
  what.pattern = parse_traffic("shift:by=2", 16);  // half way around, all in one direction
  what.load = 3;
  try {
    (void)run(what);
    FAIL() << "packets that wait in a circle went on";
  } catch (const error& stuck) {
    EXPECT_EQ(stuck.exit_status(), 1);
    EXPECT_NE(std::string(stuck.what()).find("wait for each other"), std::string::npos);
  }
}

/// Where some packets wait in a circle and others go on, there is no standstill to be seen.
TEST(packet_watchdog, names_a_link_that_carries_nothing_while_others_do) {
  const torus_of_one_lane on;
  std::vector<script::line> lines;
  for (int turn = 0; turn < 40; ++turn) {
    for (int node = 0; node < 4; ++node) lines.push_back({node, (node + 2) % 4, 0});
  }
  for (int turn = 0; turn < 3000; ++turn) lines.push_back({8, 9, std::int64_t{turn} * 1'000'000});
  script source(16, lines);
  network_parameters with;
  with.buffers = 1;
  with.patience = duration::from_us(500);
  packet_network network(on, with, source, 1);
  try {
    network.drain();
    FAIL() << "packets that wait in a circle went on";
  } catch (const error& stuck) {
    EXPECT_EQ(stuck.exit_status(), 1);
    EXPECT_NE(std::string(stuck.what()).find("has carried nothing for 500"), std::string::npos)
        << stuck.what();
  }
  EXPECT_LT(network.now(), duration::from_us(1100));
}

/// Two switches that send everything back to each other.
class round_trip final : public topology {
 public:
  round_trip() {
    nodes_ = switches_ = 2;
    name_ = "round trip";
  }
  using end_kind = upwash::model::port_end::kind;
  [[nodiscard]] int ports(int /*s*/) const override { return 2; }
  [[nodiscard]] upwash::model::port_end end(int s, int port) const override {
    if (port == 0) return {end_kind::node, s, -1};
    return {end_kind::port, 1 - s, 1};
  }
  [[nodiscard]] upwash::model::port_end attachment(int node) const override {
    return {end_kind::port, node, 0};
  }
  [[nodiscard]] upwash::model::hop next(int /*s*/, int /*port*/, int /*lane*/,
                                        upwash::model::bound& /*goal*/) const override {
    return {1, 1, 1, 0};
  }
};

TEST(packet_watchdog, names_packets_that_go_in_circles) {
  const round_trip on;
  script source(2, {{0, 1, 0}});
  packet_network network(on, {}, source, 1);
  try {
    network.drain();
    FAIL() << "a packet on its way for ever arrived";
  } catch (const error& stuck) {
    EXPECT_NE(std::string(stuck.what()).find("from node 0 to node 1 has passed"), std::string::npos)
        << stuck.what();
  }
}

}  // namespace
