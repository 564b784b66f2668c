// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "tests/schedule/written_schedules.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/algorithms/scans.hpp"
#include "upwash/schedule/draw.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule;

std::size_t occurrences(const std::string& in, const std::string& of) {
  std::size_t count = 0;
  for (std::size_t at = in.find(of); at != std::string::npos; at = in.find(of, at + 1)) ++count;
  return count;
}

std::string scan_of(int ranks, const machine* on = nullptr) {
  drawing of;
  of.title = "scan <of> many";
  of.ranks = ranks;
  of.on = on;
  return draw_svg(of, [ranks](int rank) {
    return generator(collective::doubling_scan(ranks, rank, 8, false));
  });
}

}  // namespace

TEST(draw, shows_every_rank_message_and_reduction) {
  const std::string svg = scan_of(8);
  EXPECT_EQ(svg.find("<svg xmlns="), 0U);
  EXPECT_NE(svg.find("scan &lt;of> many"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "class=\"rank\""), 8U);
  EXPECT_EQ(occurrences(svg, "class=\"message\""), 7U + 6U + 4U);
  EXPECT_EQ(occurrences(svg, "<title>reduction"), 7U + 6U + 4U);
  EXPECT_EQ(occurrences(svg, "<title>copy"), 8U);
  EXPECT_EQ(occurrences(svg, "href"), 0U);
  // Three rounds of one message each: from unit 0 to 3.
  EXPECT_NE(svg.find("round 2, 8 bytes, 2 to 3</title>"), std::string::npos);
}

TEST(draw, shows_the_time_of_a_machine) {
  const machine on = uniform_machine(duration::from_us(5), duration::from_us(1), {}, 0);
  const std::string svg = scan_of(2, &on);
  EXPECT_NE(svg.find("time on uniform, in us"), std::string::npos);
  EXPECT_NE(svg.find("rank 0 to rank 1: message, edge 0, round 0, 8 bytes, 0 to 7</title>"),
            std::string::npos);
}

TEST(draw, has_its_steps_in_the_order_of_time_with_both_ends_of_messages) {
  drawing of;
  of.ranks = 4;
  const auto steps = drawn_steps(
      of, [](int rank) { return generator(collective::doubling_scan(4, rank, 8, false)); });
  std::size_t sends = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(steps[i - 1].when.begun, steps[i].when.begun);
    }
    if (steps[i].what.kind != step_kind::send) {
      EXPECT_EQ(steps[i].arrives, steps[i].when.done);
      continue;
    }
    ++sends;
    // A unit of the sender; the receiver has it then.
    EXPECT_EQ(steps[i].arrives - steps[i].when.begun, duration::from_us(1));
  }
  EXPECT_EQ(sends, 3U + 2U);
}

TEST(draw, shows_signals) {
  using namespace schedule::testing;
  step wait = to_peer(step_kind::await, own, 3);
  wait.value = 1;
  const ranks_of_steps all{{wait}, {to_peer(step_kind::signal, 0, 3)}};
  drawing of;
  of.ranks = 2;
  const std::string svg = draw_svg(of, [&](int rank) { return schedule_of(all, rank); });
  EXPECT_NE(svg.find("rank 1 to rank 0: signal, counter 3, round 0, 0 bytes, 0 to 1</title>"),
            std::string::npos);
}

TEST(draw, shows_who_reads_and_writes_whose_memory) {
  using namespace schedule::testing;
  step reads;
  reads.left = {buffer::output, 0, 8, 1};
  reads.into = {buffer::output, 0, 8};
  step writes;
  writes.left = {buffer::input, 0, 16};
  writes.into = {buffer::shared, 0, 16, 0};
  const ranks_of_steps all{{reads}, {writes}};
  drawing of;
  of.ranks = 2;
  const std::string svg = draw_svg(of, [&](int rank) { return schedule_of(all, rank); });
  EXPECT_NE(svg.find("<title>rank 0 reads 8 bytes of rank 1, round 0</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>rank 1 writes 16 bytes of rank 0, round 0</title>"),
            std::string::npos);
  EXPECT_EQ(occurrences(svg, "class=\"access\""), 2U);
}

TEST(draw, refuses_what_cannot_be_read) {
  using namespace schedule::testing;
  step copies;
  copies.kind = step_kind::copy;
  copies.left = {buffer::input, 0, 8};
  copies.into = {buffer::output, 0, 8};
  const ranks_of_steps all{std::vector<step>(most_steps_drawn + 1, copies)};
  try {
    (void)drawn_steps({}, [&](int rank) { return schedule_of(all, rank); });
    FAIL();
  } catch (const error& wrong) {
    EXPECT_STREQ(wrong.what(),
                 "a drawing of more than 20000 steps cannot be read; choose fewer ranks or larger "
                 "segments");
  }
}

TEST(draw, has_lines_for_every_rank) {
  EXPECT_FALSE(rank_lines(most_ranks_drawn).shared());
  EXPECT_EQ(rank_lines(most_ranks_drawn).name(63), "rank 63");
  for (const int ranks : {65, 130, 1000, 100'000}) {
    const rank_lines lines(ranks);
    EXPECT_TRUE(lines.shared());
    EXPECT_LE(lines.count(), most_ranks_drawn);
    EXPECT_EQ(lines.of(ranks - 1), lines.count() - 1) << ranks;
  }
  EXPECT_EQ(rank_lines(130).name(43), "rank 129");
}

TEST(draw, gathers_what_goes_between_ranks_that_share_a_line) {
  using namespace schedule::testing;
  constexpr int ranks = 130;  // three a line, the last one alone
  std::vector<std::vector<step>> all(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int to = (rank + 3) % ranks;
    const int from = (rank + ranks - 3) % ranks;
    all[static_cast<std::size_t>(rank)] = {to_peer(step_kind::send, to, 0),
                                           to_peer(step_kind::receive, from, 0)};
  }
  drawing of;
  of.ranks = ranks;
  const ranks_of_steps listed(all);
  const std::string svg = draw_svg(of, [&](int rank) { return schedule_of(listed, rank); });
  EXPECT_NE(svg.find(">ranks 0-2</text>"), std::string::npos);
  EXPECT_NE(svg.find(">rank 129</text>"), std::string::npos);
  EXPECT_NE(svg.find("<title>ranks 0-2 to ranks 3-5: 3 messages, round 0, "), std::string::npos);
  EXPECT_NE(svg.find("<title>ranks 126-128 to rank 129: 1 messages, round 0, "), std::string::npos);
  EXPECT_EQ(svg.find("rank 130"), std::string::npos);
}
