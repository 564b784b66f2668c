// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A generator that is given another schedule begins it in the memory that it has: collectives that
// are started again and again allocate nothing for their steps.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/allocations.hpp"
#include "upwash/collective/registry.hpp"

namespace {

using namespace upwash::schedule;
using upwash::collective::kind;
using upwash::collective::problem;
using upwash::collective::selection;
using upwash::test::allocated_bytes;
namespace collective = upwash::collective;

std::uint64_t walk(generator& steps) {
  std::uint64_t count = 0;
  for (step s; steps.next(s);) ++count;
  return count;
}

/// The values that a row has at first, where they can be had; else the call is not served.
void expect_begun_again_in_place(const collective::algorithm& one, bool in_place) {
  problem call{.of = one.of, .ranks = 8, .bytes = 64, .element_bytes = 8};
  call.in_place = in_place;
  call.ranks_per_node = 4;
  call.direct_access = call.network_collectives = true;
  const selection chosen{&one, upwash::model::initial_values(one.is)};
  if (!collective::registry::objection(chosen, call).empty()) return;
  const generator steps = chosen.schedule_of(call, 3);
  if (steps.wants().given) return;
  generator running = steps;
  const std::uint64_t first = walk(running);
  const std::uint64_t before = allocated_bytes();
  for (int repeat = 0; repeat < 3; ++repeat) {
    running = steps;
    EXPECT_EQ(walk(running), first);
  }
  EXPECT_EQ(allocated_bytes(), before) << to_string(one.of) << " " << one.is.name;
}

}  // namespace

TEST(allocations, are_counted) {
  if (!upwash::test::counts_allocations) GTEST_SKIP() << "sanitizers count them otherwise";
  const std::uint64_t before = allocated_bytes();
  const std::string text(1000, 'a');
  EXPECT_GT(allocated_bytes(), before) << text;
}

TEST(allocations, are_none_for_a_schedule_that_begins_again) {
  collective::registry table;
  collective::add_algorithms(table);
  for (const std::string_view name : collective::kind_names()) {
    for (const collective::algorithm* one : table.of(collective::kind_named(name))) {
      for (const bool in_place : {false, true}) expect_begun_again_in_place(*one, in_place);
    }
  }
}

TEST(allocations, move_with_the_memory_of_a_schedule) {
  collective::registry table;
  collective::add_algorithms(table);
  const selection ring = table.named(kind::all_reduce, "ring");
  const problem call{.of = kind::all_reduce, .ranks = 8, .bytes = 640, .element_bytes = 8};
  generator first = ring.schedule_of(call, 3);
  const std::uint64_t count = walk(first);
  generator second = ring.schedule_of(call, 3);
  const std::uint64_t before = allocated_bytes();
  second.take_memory(first.give_memory());
  EXPECT_EQ(walk(second), count);
  EXPECT_EQ(allocated_bytes(), before);
  EXPECT_EQ(walk(first), count);  // from its beginning, in memory of its own
}
