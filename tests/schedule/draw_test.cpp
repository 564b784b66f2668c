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

TEST(draw, refuses_what_cannot_be_read) {
  try {
    (void)scan_of(65);
    FAIL();
  } catch (const error& wrong) {
    EXPECT_STREQ(wrong.what(),
                 "a drawing of 65 ranks cannot be read; at most 64: choose a smaller -n");
  }
}
