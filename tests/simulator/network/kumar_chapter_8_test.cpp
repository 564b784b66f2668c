// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Figures 8.8 to 8.15 of Kumar 2005: throughput and latency of 256 nodes by load, with 8- and
// 32-port switches and 2 or 4 packets a crosspoint. UPWASH_TEST_LONG=1 runs five times as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "upwash/model/topology_text.hpp"
#include "upwash/simulator/network/simulation.hpp"

namespace {

using namespace upwash::simulator;  // NOLINT(google-build-using-namespace)

const std::vector<std::string> patterns{"uniform", "transpose", "bit-reversal", "complement"};

class chapter_8 {
 public:
  chapter_8(int ports, int buffers) {
    on_ = upwash::model::make_topology(upwash::model::parse_topology(
        ports == 32 ? "fat-tree:ports=32,levels=2" : "fat-tree:ports=8,levels=4"));
    what_.on = on_.get();
    what_.with.buffers = buffers;
    what_.warm_up_packets = 200;
    what_.packets = std::getenv("UPWASH_TEST_LONG") != nullptr ? 3000 : 600;
  }

  [[nodiscard]] simulation_result run(const std::string& pattern, double load) {
    what_.pattern = parse_traffic(pattern, on_->nodes());
    what_.load = load;
    return upwash::simulator::run(what_);
  }
  [[nodiscard]] double throughput(const std::string& pattern, double load = 1) {
    return run(pattern, load).accepted;
  }
  simulation& what() { return what_; }

 private:
  std::unique_ptr<const upwash::model::topology> on_;
  simulation what_;
};

/// What is offered is carried up to `least`, and no load lowers what complement carries.
void expect_throughput_rises(chapter_8& network, double least) {
  for (const std::string& pattern : patterns) {
    for (const double load : {0.2, 0.4, 0.6}) {
      if (load > least) continue;
      EXPECT_NEAR(network.throughput(pattern, load), load, 0.02) << pattern;
    }
  }
  EXPECT_NEAR(network.throughput("complement", 0.9), 0.9, 0.02);
  EXPECT_NEAR(network.throughput("complement"), 1, 0.02);
}

TEST(kumar_chapter_8, figure_8_08_throughput_8_ports_2_packets) {
  chapter_8 network(8, 2);
  expect_throughput_rises(network, 0.6);
  // No better than input-queued switches of the same size (BookSim2: 0.694), which chapter 8 says
  // that output queues are: with two packets there is too little room (docs/papers.md: differs).
  EXPECT_NEAR(network.throughput("uniform"), 0.694, 0.02) << "mend the row if it is better now";
}

TEST(kumar_chapter_8, figure_8_10_throughput_8_ports_4_packets) {
  chapter_8 network(8, 4);
  expect_throughput_rises(network, 0.6);
  chapter_8 input_queued(8, 4);
  input_queued.what().with.design = switch_design::input_queued;
  for (const char* pattern : {"uniform", "transpose", "bit-reversal"}) {
    const double seen = network.throughput(pattern);
    EXPECT_GT(seen, 0.80) << pattern;
    EXPECT_GT(seen, 1.2 * input_queued.throughput(pattern)) << pattern;
  }
}

TEST(kumar_chapter_8, figure_8_12_throughput_32_ports_2_packets) {
  chapter_8 network(32, 2);
  expect_throughput_rises(network, 0.6);
  for (const std::string& pattern : patterns) EXPECT_GT(network.throughput(pattern), 0.75);
}

TEST(kumar_chapter_8, figure_8_14_throughput_32_ports_4_packets) {
  chapter_8 network(32, 4);
  expect_throughput_rises(network, 0.6);
  for (const char* pattern : {"uniform", "transpose", "bit-reversal"}) {
    EXPECT_NEAR(network.throughput(pattern), 0.93, 0.04) << pattern;
  }
}

TEST(kumar_chapter_8, figure_8_14_is_the_best_of_the_four) {
  for (const char* pattern : {"uniform", "transpose", "bit-reversal"}) {
    const double best = chapter_8(32, 4).throughput(pattern);
    EXPECT_GT(best, chapter_8(32, 2).throughput(pattern)) << pattern;
    EXPECT_GT(best, chapter_8(8, 4).throughput(pattern)) << pattern;
    EXPECT_GT(best, chapter_8(8, 2).throughput(pattern)) << pattern;
  }
}

TEST(kumar_chapter_8, figures_8_09_to_8_15_begin_at_the_latency_of_an_empty_network) {
  for (const int ports : {8, 32}) {
    chapter_8 network(ports, 4);
    const double switches = ports == 8 ? 6.3647 : 2.8824;
    const double empty = 2600 + switches * 90 + (switches + 1) * 20 + 204.8;
    // Some 25,000 packets that hardly ever meet.
    network.what().packets = 50000;
    EXPECT_NEAR(network.run("uniform", 0.002).latency_avg_ns, empty, 4) << ports;
  }
}

/// Published: at full load latency stays good for complement and uniform and blows up for transpose
/// and bit reversal. Here it blows up for uniform the most (docs/papers.md: differs).
TEST(kumar_chapter_8, figure_8_15_latency_blows_up_only_above_a_load_of_0_9) {
  chapter_8 network(32, 4);
  for (const std::string& pattern : patterns) {
    const double low = network.run(pattern, 0.1).latency_avg_ns;
    EXPECT_LT(network.run(pattern, 0.8).latency_avg_ns, 1.5 * low) << pattern;
    EXPECT_LT(network.run(pattern, 0.9).latency_avg_ns, 2 * low) << pattern;
  }
  const double at_full_load = network.run("complement", 1).latency_avg_ns;
  for (const char* pattern : {"transpose", "bit-reversal"}) {
    const double seen = network.run(pattern, 1).latency_avg_ns;
    EXPECT_GT(seen, 1.25 * at_full_load) << pattern;
    EXPECT_GT(network.run("uniform", 1).latency_avg_ns, seen)
        << pattern << "; published: uniform below; mend the row if it comes out now";
  }
}

TEST(kumar_chapter_8, figures_8_09_8_11_8_13_latency_has_its_knee_earlier_with_less_room) {
  for (const int ports : {8, 32}) {
    chapter_8 narrow(ports, 2);
    chapter_8 wide(ports, 4);
    EXPECT_GT(narrow.run("uniform", 0.8).latency_avg_ns,
              1.2 * wide.run("uniform", 0.8).latency_avg_ns);
    EXPECT_LT(narrow.run("uniform", 0.5).latency_avg_ns,
              1.05 * wide.run("uniform", 0.5).latency_avg_ns);
    for (const char* pattern : {"transpose", "bit-reversal"}) {
      EXPECT_GT(narrow.run(pattern, 0.9).latency_avg_ns,
                1.2 * wide.run(pattern, 0.9).latency_avg_ns)
          << pattern;
    }
    // Free of contention, so room does not matter.
    EXPECT_NEAR(
        narrow.run("complement", 0.9).latency_avg_ns / wide.run("complement", 0.9).latency_avg_ns,
        1, 0.01);
  }
}

/// BookSim2 with its default router (4 virtual channels of 8 flits, one crossbar pass an input)
/// and random up-routing carries 0.652 (32 ports) and 0.694 (8 ports) of uniform traffic: between
/// one queue of 32 packets an input and two of them; with an internal speed-up of 2 0.94 to 0.98.
TEST(kumar_chapter_8, input_queued_switches_agree_with_booksim) {
  for (const auto& [ports, booksim] : {std::pair{32, 0.652}, {8, 0.694}}) {
    chapter_8 network(ports, 32);
    network_parameters& with = network.what().with;
    with.design = switch_design::input_queued;
    with.up = up_choice::random;
    const double one = network.throughput("uniform");
    with.input_queues = 2;
    const double two = network.throughput("uniform");
    EXPECT_LT(one, booksim) << ports;
    EXPECT_GT(two, booksim) << ports;
    EXPECT_NEAR(one, booksim, 0.08) << ports;
    with.input_queues = 1;
    with.speedup = 2;
    with.output_buffer = 64;
    EXPECT_NEAR(network.throughput("uniform"), 0.95, 0.03) << ports;
  }
}

TEST(kumar_chapter_8, crosspoint_memory_of_8_and_32_ports) {
  // Section 8.1: a round trip of 200 ns at 10 Gbit/s, 2 to 4 of them a crosspoint.
  const network_parameters with;
  EXPECT_EQ(200000 / with.ps_per_byte, 250);
  EXPECT_EQ(8 * 8 * 4 * with.packet_bytes, 65536U);
  EXPECT_EQ(32 * 32 * 2 * with.packet_bytes, 524288U);
  EXPECT_EQ(32 * 32 * 4 * with.packet_bytes, 1048576U);
}

}  // namespace
