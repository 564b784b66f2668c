// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traces of traffic: what a line may say, what its messages take, and a program's traffic again.
#include "upwash/simulator/network/trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/conduit/sim/sim_fixture.hpp"
#include "tests/simulator/network/script.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash;             // NOLINT(google-build-using-namespace)
using namespace upwash::simulator;  // NOLINT(google-build-using-namespace)
using upwash::test::make;

TEST(traffic_trace, lines_are_messages_in_the_order_of_time) {
  const auto all = parse_trace(
      "# time_ns source destination bytes\n"
      "\n"
      "20 1 0 7\r\n"
      "  12.5\t0 3 4096\n"
      "20 0 1 0",
      "text", 4);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].at, duration::from_ns(12.5));
  EXPECT_EQ(all[0].destination, 3);
  EXPECT_EQ(all[0].bytes, 4096U);
  EXPECT_EQ(all[1].source, 1) << "those of equal time as written";
  EXPECT_EQ(all[2].source, 0);
  EXPECT_TRUE(parse_trace("", "text", 4).empty());
}

TEST(traffic_trace, what_is_no_message_is_named_with_its_line) {
  const auto complaint = [](const std::string& line) -> std::string {
    try {
      (void)parse_trace("0 0 1 8\n# fine\n" + line + "\n", "F", 4);
    } catch (const error& wrong) {
      EXPECT_EQ(wrong.exit_status(), 2);
      return wrong.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint("1 0 1 8"), "none");
  EXPECT_EQ(complaint("1 0 1"), "trace F, line 3: expected: time_ns source destination bytes");
  EXPECT_EQ(complaint("1 0 1 8 9"), "trace F, line 3: expected: time_ns source destination bytes");
  EXPECT_EQ(complaint("-1 0 1 8"),
            "trace F, line 3: time_ns: \"-1\" is not in 0 .. 1000000000000000");
  EXPECT_EQ(complaint("nan 0 1 8"),
            "trace F, line 3: time_ns: \"nan\" is not in 0 .. 1000000000000000");
  EXPECT_EQ(complaint("1 4 1 8"), "trace F, line 3: source: \"4\" is not in 0 .. 3");
  EXPECT_EQ(complaint("1 0 1x 8"), "trace F, line 3: destination: \"1x\" is not in 0 .. 3");
  EXPECT_EQ(complaint("1 0 1 -8"),
            "trace F, line 3: bytes: \"-8\" is not in 0 .. 1125899906842624");
  EXPECT_EQ(complaint("1 2 2 8"),
            "trace F, line 3: a message of node 2 to itself crosses no network");
  EXPECT_THROW((void)read_trace("/nowhere/at/all", 4), error);
  EXPECT_THROW(trace_writer("/nowhere/at/all"), error);
}

/// Whatever the text, there is an error or there are messages between nodes.
TEST(traffic_trace, damaged_texts_are_refused_or_read) {
  const std::string good = "0 0 1 8\n12.5 1 2 4096\n# a remark\n30 2 3 100\n";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    random_stream random(seed, 1);
    std::string text = good;
    for (std::uint64_t i = 0; i <= random.below(4); ++i) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    try {
      for (const trace_message& one : parse_trace(text, "F", 4)) {
        ASSERT_TRUE(one.source != one.destination && one.source < 4 && one.destination < 4) << seed;
        ASSERT_GE(one.at, duration()) << seed;
      }
    } catch (const error& wrong) {
      ASSERT_NE(std::string(wrong.what()).find(", line "), std::string::npos) << seed;
    }
  }
}

TEST(traffic_trace, messages_by_hand) {
  const auto on = make("crossbar:ports=4");
  network_parameters with;
  with.send_overhead = with.receive_overhead = duration();
  // 256 bytes alone take 130 + 204.8 ns; two that meet at node 2 follow each other.
  const auto seen =
      run(parse_trace("1000 0 1 256\n5000 0 2 256\n5000 1 2 256\n", "text", 4), *on, with, 1);
  EXPECT_EQ(seen.messages, 3U);
  EXPECT_EQ(seen.bytes, 768U);
  EXPECT_EQ(seen.packet_hops, 6U);
  EXPECT_EQ(seen.last_sent, duration::from_ns(5000));
  EXPECT_EQ(seen.last_arrived, duration::from_ns(5000 + 130 + 2 * 204.8));
  EXPECT_NEAR(seen.latency_avg_ns, 130 + 204.8 * 4 / 3, 0.1);
}

/// What a program sent, recorded and sent again through the same network, arrives when it did.
TEST(traffic_trace, a_recorded_program_is_sent_again) {
  using namespace upwash::conduit;
  using namespace upwash::conduit::sim_test;
  const std::string path = testing::TempDir() + "upwash-trace-" + std::to_string(getpid());
  sim_options options = on_textbook(16);
  options.through = make("fat-tree:arity=4,levels=2,taper=4");
  options.record_traffic = path;
  std::uint64_t hops = 0;
  duration last;
  {
    simulated_job job(options);
    job.run([&](rank_box& me) {
      me.at().compute(me.rank(), duration::from_ns(77 * (me.rank() + 1)));
      me.send((me.rank() + 5) % 16, 1, 20000 + 100 * static_cast<std::size_t>(me.rank()));
      me.wait_for(1);
      last = std::max(last, me.arrivals[0].when);
    });
    hops = job.report().packet_hops;
  }
  const auto messages = read_trace(path, 16);
  ASSERT_EQ(messages.size(), 16U);
  const auto with = parameters_of(options.on, *options.through);
  const trace_result again = run(messages, *options.through, with, 0);
  EXPECT_EQ(again.packet_hops, hops);
  EXPECT_EQ(again.last_arrived + duration::from_ns(300), last) << "o of the receiver";
  const auto wider = make("fat-tree:arity=4,levels=2");
  EXPECT_LT(run(messages, *wider, parameters_of(options.on, *wider), 0).last_arrived,
            again.last_arrived);
  std::remove(path.c_str());
}

}  // namespace
