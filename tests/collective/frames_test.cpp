// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms keep little between steps: the frames of each coroutine in the table, with those of
// its parts, stay small.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/collective/spread_values.hpp"
#include "tests/sanitized.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/registry.hpp"

namespace {

using namespace upwash::schedule;
using upwash::collective::kind;
using upwash::collective::problem;
using upwash::collective::selection;
namespace collective = upwash::collective;

constexpr int ranks = 12;

/// What a call may be given, where all lengths are alike.
struct given_facts {
  std::vector<std::uint64_t> lengths = std::vector<std::uint64_t>(ranks, 8);
  std::vector<std::uint64_t> words;
  facts known;

  explicit given_facts(const needs& of) : words(of.slots) {
    known.given = {lengths, lengths, lengths, lengths};
    known.slots = words;
    known.input_bytes = known.output_bytes = 8;
  }
};

/// Parts have frames only while they are gone through, so all steps are asked for; where others'
/// words would come, as far as it goes without them.
std::size_t frames_of(generator steps) {
  given_facts with(steps.wants());
  step s;
  try {
    while (steps.next(s, with.known)) {
    }
  } catch (const upwash::error&) {
    EXPECT_TRUE(steps.wants().given || steps.frame_bytes() == 0);
  }
  return steps.frame_bytes();
}

std::vector<problem> calls_of(const collective::algorithm& one) {
  std::vector<problem> all;
  for (const bool in_place : {false, true}) {
    problem call{.of = one.of, .ranks = ranks, .bytes = 64, .element_bytes = 8};
    call.in_place = in_place;
    call.root = collective::is_rooted(one.of) || one.of == kind::broadcast ? 3 : 0;
    call.commutative = (one.is.requirements & upwash::model::needs_commutative) != 0;
    call.ranks_per_node = 4;
    call.direct_access = call.network_collectives = true;
    all.push_back(call);
  }
  return all;
}

std::vector<upwash::model::values> values_of(const collective::algorithm& one) {
  return upwash::test::spread_values(one, {0, 1, 2, 3});
}

/// Of all ranks, in all calls; 0: it is no coroutine.
std::size_t most_of_row(const collective::algorithm& one) {
  std::size_t most = 0;
  for (const problem& call : calls_of(one)) {
    for (const upwash::model::values& with : values_of(one)) {
      const selection chosen{&one, with};
      if (!collective::registry::objection(chosen, call).empty()) continue;
      for (int rank = 0; rank < ranks; ++rank) {
        most = std::max(most, frames_of(chosen.schedule_of(call, rank)));
      }
    }
  }
  return most;
}

}  // namespace

TEST(frames, are_small) {
#if defined(NDEBUG) && defined(__OPTIMIZE__)
  if (upwash::test::sanitized) GTEST_SKIP() << "frames grow under sanitizers";
  constexpr std::size_t most = 1024;
  collective::registry table;
  collective::add_algorithms(table);
  std::set<std::string> coroutines;
  for (const std::string_view name : collective::kind_names()) {
    for (const collective::algorithm* one : table.of(collective::kind_named(name))) {
      const std::size_t bytes = most_of_row(*one);
      const std::string row = std::string(name) + " " + std::string(one->is.name);
      EXPECT_LT(bytes, most) << row;
      if (bytes != 0) coroutines.insert(row);
      RecordProperty(row, static_cast<int>(bytes));
    }
  }
  EXPECT_GE(coroutines.size(), 50U);
  EXPECT_TRUE(coroutines.contains("broadcast composed"));
  EXPECT_TRUE(coroutines.contains("all_to_all_v bruck"));
#else
  GTEST_SKIP() << "frames are small in optimized builds only";
#endif
}
