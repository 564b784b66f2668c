// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The counter: each kind of step counts where it belongs.
#include <gtest/gtest.h>

#include <vector>

#include "tests/schedule/listed.hpp"
#include "upwash/schedule/count.hpp"

namespace {

using namespace upwash::schedule;

}  // namespace

TEST(count, knows_all_kinds_of_steps) {
  step sends = send(1, 0, {buffer::input, 0, 5});
  sends.header = {0, 3};
  sends.round = 6;
  step receives = receive(1, 0, {buffer::output, 0, 7});
  receives.header = {0, 2};
  step reduces = step_of(step_kind::reduce);
  reduces.into = {buffer::output, 0, 2};
  const std::vector<step> all{sends,
                              receives,
                              copy(of_rank(3, whole_input), whole_output),
                              reduces,
                              step_of(step_kind::stage),
                              step_of(step_kind::collect),
                              step_of(step_kind::close),
                              step_of(step_kind::signal, 2),
                              step_of(step_kind::signal),
                              await(own, 0, 1),
                              step_of(step_kind::net_multicast),
                              step_of(step_kind::net_reduce),
                              step_of(step_kind::net_barrier)};
  totals want;
  want.steps = 13;
  want.messages_sent = want.messages_received = 1;
  want.bytes_sent = 5;
  want.bytes_received = 7;
  want.header_bytes_sent = 24;
  want.header_bytes_received = 16;
  want.bytes_copied = 8;
  want.bytes_reduced = 2;
  want.signals = 2;
  want.awaits = 1;
  want.stages = 1;
  want.network_operations = 3;
  want.rounds = 7;
  EXPECT_EQ(count(list_of(all)), want);
}

TEST(count, takes_unknown_lengths_from_the_slots) {
  step receives = receive(1, 0, {buffer::output, 0, 7});
  receives.length_slot = 1;
  const generator steps = list_of({receives});
  EXPECT_EQ(count(steps).bytes_received, 7U);
  std::vector<std::uint64_t> words{9, 4};
  facts known;
  known.slots = words;
  EXPECT_EQ(count(steps, known).bytes_received, 4U);
}
