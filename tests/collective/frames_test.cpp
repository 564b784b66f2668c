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

#include "tests/collective/node_maps.hpp"
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

/// What a call may be given, where all lengths are alike; they are ranks of the team, too.
struct given_facts {
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> words;
  facts known;

  given_facts(const needs& of, int ranks)
      : lengths(static_cast<std::size_t>(ranks),
                static_cast<std::uint64_t>(std::min(8, ranks - 1))),
        words(of.slots) {
    known.given = {lengths, lengths, lengths, lengths};
    known.slots = words;
    known.input_bytes = known.output_bytes = 8;
  }
};

/// Parts have frames only while they are gone through, so all steps are asked for; where others'
/// words would come, as far as it goes without them.
std::size_t frames_of(generator steps, int ranks) {
  given_facts with(steps.wants(), ranks);
  step s;
  try {
    while (steps.next(s, with.known)) {
    }
  } catch (const upwash::error& why) {
    EXPECT_TRUE(steps.wants().given || steps.frame_bytes() == 0) << why.what();
  }
  return steps.frame_bytes();
}

std::vector<problem> calls_of(const collective::algorithm& one, int ranks) {
  std::vector<problem> all;
  for (const bool in_place : {false, true}) {
    problem call{.of = one.of, .ranks = ranks, .bytes = 64, .element_bytes = 8};
    call.in_place = in_place;
    call.root = collective::is_rooted(one.of) || one.of == kind::broadcast ? ranks / 3 : 0;
    call.commutative = (one.is.requirements & upwash::model::needs_commutative) != 0;
    call.known_senders = in_place;  // calls are both: some need to know
    call.ranks_per_node = ranks % 4 == 0 ? 4 : 1;
    call.nodes = upwash::test::blocks_of_nodes(ranks, call.ranks_per_node);
    if (one.of == kind::all_reduce && in_place) call.node_scratch = 24;  // in pieces
    call.direct_access = call.network_collectives = true;
    all.push_back(call);
  }
  return all;
}

std::vector<upwash::model::values> values_of(const collective::algorithm& one) {
  return upwash::test::spread_values(one, {0, 1, 2, 3});
}

/// What was seen of a row, of all ranks, in all calls.
struct seen_frames {
  int schedules = 0;     ///< gone through: none, and the row was never measured
  std::size_t most = 0;  ///< bytes; 0: it is no coroutine
  int at_ranks = 0;      ///< where they were so many
};

/// Powers, their neighbours, primes, and what grids and nodes divide.
constexpr int team_sizes[] = {2, 3, 5, 8, 12, 13, 16, 24, 27};

seen_frames frames_of_row(const collective::algorithm& one) {
  seen_frames seen;
  for (const int ranks : team_sizes) {
    for (const problem& call : calls_of(one, ranks)) {
      for (const upwash::model::values& with : values_of(one)) {
        const selection chosen{&one, with};
        if (!collective::registry::objection(chosen, call).empty()) continue;
        for (int rank = 0; rank < ranks; ++rank) {
          const std::size_t bytes = frames_of(chosen.schedule_of(call, rank), ranks);
          ++seen.schedules;
          if (bytes > seen.most) seen.at_ranks = ranks;
          seen.most = std::max(seen.most, bytes);
        }
      }
    }
  }
  return seen;
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
      const seen_frames seen = frames_of_row(*one);
      const std::string row = std::string(name) + " " + std::string(one->is.name);
      EXPECT_GT(seen.schedules, 0) << row << ": no call that it serves was tried";
      EXPECT_LT(seen.most, most) << row << ", " << seen.at_ranks << " ranks";
      if (seen.most != 0) coroutines.insert(row);
      RecordProperty(row, static_cast<int>(seen.most));
    }
  }
  EXPECT_GE(coroutines.size(), 50U);
  EXPECT_TRUE(coroutines.contains("broadcast composed"));
  EXPECT_TRUE(coroutines.contains("all_to_all_v bruck"));
#else
  GTEST_SKIP() << "frames are small in optimized builds only";
#endif
}
