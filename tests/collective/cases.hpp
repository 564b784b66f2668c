// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of algorithms have in common: which teams, how often, and what must come out.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/sanitized.hpp"
#include "upwash/schedule/count.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::collective {

inline bool long_run() { return std::getenv("UPWASH_TEST_LONG") != nullptr; }
inline int most_ranks() { return long_run() ? 70 : (test::sanitized ? 17 : 20); }
inline std::uint64_t seeds() { return long_run() ? 20 : 2; }

inline std::uint64_t ceil_log(std::uint64_t ranks, std::uint64_t radix) {
  std::uint64_t depth = 0;
  for (std::uint64_t reach = 1; reach < ranks; reach *= radix) ++depth;
  return depth;
}

inline schedule::abstract_value all_ranks(int ranks, std::uint64_t element) {
  schedule::abstract_value value;
  for (int r = 0; r < ranks; ++r) value.push_back({r, static_cast<std::uint32_t>(element)});
  return value;
}

inline schedule::abstract_value nothing_wanted(int, std::uint64_t) { return {}; }

/// A team that gathers blocks: what it has and, by element, what it must get.
inline schedule::expectation gathering(int ranks, std::uint64_t block_bytes, bool in_place) {
  schedule::expectation of;
  of.ranks = ranks;
  of.element_bytes = block_bytes % 8 == 0 ? 8 : 1;
  of.input_bytes = block_bytes;
  of.output_bytes = block_bytes * static_cast<std::uint64_t>(ranks);
  of.in_place = in_place;
  of.in_place_stride = block_bytes;
  return of;
}

inline schedule::abstract_value gathered(const schedule::expectation& of, std::uint64_t element) {
  const std::uint64_t each = of.input_bytes / of.element_bytes;
  return {{static_cast<int>(element / each), static_cast<std::uint32_t>(element % each)}};
}

template <class ScheduleOf, class Wanted>
void expect_valid(const schedule::expectation& of, const ScheduleOf& schedule_of,
                  const Wanted& wanted, std::uint64_t times = seeds()) {
  for (std::uint64_t seed = 0; seed < times; ++seed) {
    const std::string wrong = schedule::validate(of, schedule_of, wanted, seed);
    ASSERT_EQ(wrong, "") << of.ranks << " ranks, " << of.output_bytes << " bytes, seed " << seed;
  }
  // On the stack of a blocking call a rank does its steps one after the other.
  schedule::expectation narrow = of;
  narrow.open_steps = 1;
  const std::string wrong = schedule::validate(narrow, schedule_of, wanted, 0);
  ASSERT_EQ(wrong, "") << of.ranks << " ranks, " << of.output_bytes << " bytes, step by step";
  // Large messages leave a sender only when their receivers take them.
  schedule::expectation large = of;
  large.sends_wait = true;
  const std::string stuck = schedule::validate(large, schedule_of, wanted, 0);
  ASSERT_EQ(stuck, "") << of.ranks << " ranks, " << of.output_bytes << " bytes, sends wait";
}

}  // namespace upwash::collective
