// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of whole jobs: handlers that throw, and the memory of many ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/harness/worlds.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/runtime/run_on.hpp"
#include "upwash/streaming/stream.hpp"

namespace {

using namespace upwash;

std::string thrown_at(int destination) {
  return test::message_of(*test::loopback_of(2), [&](job& here) {
    auto items = open_stream<int>(here.world(), [](const int& one) {
      if (one == 3) throw std::runtime_error("no threes");
    });
    for (int i = 0; here.rank() == 0 && i < 5; ++i) items.push(destination, i);
    items.close();
  });
}

TEST(stream_job, ends_when_a_handler_throws) {
  for (const int destination : {0, 1}) {
    const std::string said = thrown_at(destination);
    EXPECT_NE(said.find("rank " + std::to_string(destination) +
                        ": stream 1: the handler of item 4 threw: no threes"),
              std::string::npos)
        << said;
  }
}

void refuse_threes(const int& one) {
  if (one == 3) throw std::runtime_error("no threes");
}

// Nothing may lead to a stream that is gone. On the heap, so that the address sanitizer sees it;
// four ranks, since fewer have no adapter.

TEST(stream_job, ends_when_a_handler_throws_while_its_stream_goes) {
  const std::string said = test::message_of(*test::loopback_of(4), [](job& here) {
    auto* const items = new stream<int, void (*)(const int&)>(here.world(), &refuse_threes);
    items->push((here.rank() + 1) % here.size(), here.rank());
    delete items;  // throws; its memory is freed all the same
  });
  EXPECT_NE(said.find("rank 0: stream 1: the handler of item 1 threw: no threes"),
            std::string::npos)
      << said;
}

TEST(stream_job, ends_when_a_handler_throws_while_its_stream_opens) {
  const std::string said = test::message_of(*test::loopback_of(4), [](job& here) {
    if (here.rank() == 0) control::barrier(here.world());  // its item is here by then
    const auto items =
        std::make_unique<stream<int, void (*)(const int&)>>(here.world(), &refuse_threes);
    if (here.rank() == 3) items->push_urgent(0, 3);
    if (here.rank() != 0) control::barrier(here.world());
    items->close();
  });
  EXPECT_NE(said.find("rank 0: stream 1: the handler of item 1 threw: no threes"),
            std::string::npos)
      << said;
}

namespace {

/// All push to one rank, which others forward to: what waits for credit behind it stays bounded,
/// since core throttles those who push.
void expect_bounded(int dimensions, bool ordered) {
  constexpr int ranks = 16;
  constexpr std::size_t queue = 4;
  constexpr std::size_t limit = 8;
  constexpr std::size_t buffer = 200;
  constexpr std::uint64_t each = 5000;
  conduit::loopback_options options;
  options.ranks = ranks;
  options.queue_messages = queue;
  const auto world = conduit::make_loopback_world(options);
  std::size_t most_deferred = 0;
  std::uint64_t got = 0;
  std::uint64_t pushed = 0;
  std::uint64_t most_under_way = 0;
  const job_options with{.deferred_limit = limit};
  run_on(*world, with, [&](job& here) {
    auto items = open_stream<std::uint64_t>(
        here.world(), [&](const std::uint64_t& one) { got += one; },
        {.dimensions = dimensions, .buffer_bytes = buffer, .ordered = ordered});
    for (std::uint64_t i = 0; i < each; ++i) {
      if (here.rank() == 0) continue;
      items.push(0, 1);
      most_deferred = std::max(most_deferred, host(here).deferred());
      ++pushed;
      most_under_way = std::max(most_under_way, pushed - std::min(pushed, got));
    }
    items.close();
    EXPECT_LE(items.statistics().buffer_memory, stream_memory(ranks, dimensions, buffer));
  });
  EXPECT_EQ(got, each * (ranks - 1));
  // What was in the queues when the limit was reached is still forwarded; pushes may leave some.
  const std::size_t messages = 8 + limit + 2 * queue * ranks;
  EXPECT_LE(most_deferred, messages) << dimensions << ordered;
  EXPECT_LE(most_under_way, 2 * each) << dimensions << ordered;  // of 15 times as many
}

}  // namespace

TEST(stream_job, keeps_what_waits_for_a_slow_rank_bounded) {
  for (const int dimensions : {1, 2, 3}) {
    expect_bounded(dimensions, false);
    expect_bounded(dimensions, true);
  }
}

TEST(stream_job, needs_less_than_2_MiB_a_rank_of_65536) {
  EXPECT_LT(stream_memory(65536, 3, 8192), std::size_t{2} << 20U);
  EXPECT_GT(stream_memory(65536, 2, 8192), std::size_t{2} << 20U);
}

TEST(stream_job, keeps_to_the_stated_memory_on_4096_ranks) {
  constexpr int ranks = 4096;
  constexpr std::size_t buffer = 512;
  conduit::sim_options options;
  options.ranks = ranks;
  options.on = load_machine("summit");
  options.stack_bytes = std::size_t{32} * 1024;
  const auto world = conduit::make_sim_world(options);
  std::size_t most = 0;
  std::uint64_t got = 0;
  run_on(*world, {}, [&](job& here) {
    auto items =
        open_stream<std::uint64_t>(here.world(), [&](const std::uint64_t& one) { got += one; },
                                   {.dimensions = 3, .buffer_bytes = buffer});
    random_stream random(1, static_cast<std::uint64_t>(here.rank()));
    for (int i = 0; i < 100; ++i) items.push(static_cast<int>(random.below(ranks)), 1);
    items.close();
    most = std::max(most, items.statistics().buffer_memory);
  });
  EXPECT_EQ(got, 100U * ranks);
  EXPECT_LE(most, stream_memory(ranks, 3, buffer));
  EXPECT_GT(most, stream_memory(ranks, 3, buffer) / 10);
}

}  // namespace
