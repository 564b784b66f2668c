// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "upwash/tuning/machine_probe.hpp"

namespace {

using namespace upwash;
using namespace upwash::tuning;

/// Two cores that share memory: a word in 60 ns, messages of the executor in 800 ns + 0.1 ns/B.
machine_probe measured_laptop() {
  machine_probe seen;
  seen.where = placement::near;
  seen.ranks_a_node = 2;
  seen.cores = 2;
  seen.copy_ns_per_byte = 0.016;
  seen.reduce_ns_per_byte = 0.024;
  seen.core_switch_ns = 1100;
  level_probe level;
  level.send_ns = 5;
  level.gap_ns = 6;
  level.word_ns = 60;
  level.put_ns_per_byte = 0.02;
  level.fit.pieces = {{0, {800, 0.1, 0.05}}};
  level.burst_fit.pieces = {{0, {1200, 0.2, 0.05}}};
  seen.levels.push_back(level);
  return seen;
}

std::string all_of(const std::vector<std::string>& wrong) {
  std::string text;
  for (const std::string& each : wrong) text += each + "\n";
  return text;
}

}  // namespace

TEST(machine_text, is_a_machine_with_the_costs_measured) {
  const machine_probe seen = measured_laptop();
  EXPECT_EQ(all_of(nonsense_in(seen)), "");
  const machine read = parse_machine(machine_text(seen, "mine", "a test"), "mine.json");
  EXPECT_EQ(read.name, "mine");
  ASSERT_EQ(read.levels.size(), 1U);
  EXPECT_EQ(read.levels[0].kind, level_kind::node);
  EXPECT_EQ(read.levels[0].send_overhead, duration::from_ns(5));
  EXPECT_EQ(read.levels[0].loggp->latency, duration::from_ns(50));
  EXPECT_EQ(read.levels[0].loggp->gap, duration::from_ns(6));
  EXPECT_DOUBLE_EQ(read.levels[0].loggp->gap_ns_per_byte, 0.02);
  EXPECT_EQ(read.processor.cores_per_node, 2);
  EXPECT_EQ(read.processor.core_switch, duration::from_ns(1100));
  EXPECT_EQ(read.processor.edge, duration::from_ns(370));  // half of what 800 ns are above a word
  EXPECT_NEAR(*read.processor.edge_ns_per_byte, 0.08, 1e-12);
}

TEST(machine_text, has_bursts_in_pieces_where_overheads_leave_nothing_for_the_way) {
  machine_probe seen = measured_laptop();
  level_probe network = seen.levels[0];
  network.kind = level_kind::network;
  network.send_ns = 5000;
  network.word_ns = 9000;
  network.burst_fit.pieces = {{0, {11'000, 8, 0.01}}, {512, {16'000, 5, 0.01}}};
  seen.levels.push_back(network);
  EXPECT_EQ(all_of(nonsense_in(seen)), "");
  const machine read = parse_machine(machine_text(seen, "mine", "a test"), "mine.json");
  ASSERT_EQ(read.levels.size(), 2U);
  EXPECT_EQ(read.levels[0].ranks, 2);
  ASSERT_TRUE(read.levels[1].alpha_beta);
  ASSERT_EQ(read.levels[1].alpha_beta->pieces.size(), 2U);
  EXPECT_EQ(read.levels[1].alpha_beta->pieces[1].from_bytes, 512U);
  EXPECT_EQ(read.levels[1].alpha_beta->pieces[1].alpha, duration::from_us(16));
}

TEST(machine_text, is_refused_by_what_makes_no_sense) {
  machine_probe seen = measured_laptop();
  seen.where = placement::shared;
  seen.copy_ns_per_byte = -0.1;
  seen.levels[0].gap_ns = 0;
  seen.levels[0].fit.pieces[0].line.worst = 0.5;
  EXPECT_EQ(all_of(nonsense_in(seen)),
            "the ranks shared cores: measure with no more ranks than cores\n"
            "copy would be -0.1 ns/B\n"
            "node: g would be 0 ns\n"
            "node: times lie up to 50 % off the line through them, which begins at 800 ns; at most "
            "30 % is wanted: something disturbed them\n");
  seen = measured_laptop();
  seen.where = placement::disturbed;
  EXPECT_EQ(all_of(nonsense_in(seen)), "the cores did not lie still meanwhile: measure again\n");
}

TEST(machine_text, is_refused_where_a_word_takes_longer_than_a_message) {
  machine_probe seen = measured_laptop();
  seen.levels[0].one_way = {{64, 800}};
  EXPECT_EQ(all_of(nonsense_in(seen)), "");
  seen.levels[0].word_ns = 80'000;
  EXPECT_EQ(all_of(nonsense_in(seen)),
            "node: 8 bytes take 8e+04 ns, 64 bytes 800 ns: something disturbed them\n");
}
