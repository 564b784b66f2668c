// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Passing over rounds that repeat lands where walking through them does: for all algorithms of the
// table that say that theirs do.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/reduce_scatters.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/schedule/generator.hpp"

namespace {

using namespace upwash;
using namespace upwash::schedule;
using collective::kind;

bool same(const step& a, const step& b) {
  return a.kind == b.kind && a.placed == b.placed && a.peer == b.peer && a.edge == b.edge &&
         a.round == b.round && a.left == b.left && a.right == b.right && a.into == b.into &&
         a.header == b.header && a.value == b.value && a.after == b.after;
}

/// Passes over as much as is said to repeat, but `left` rounds, at the boundary `number`; what is
/// emitted then is the end of what `walked` holds.
void expect_same_end(generator steps, const std::vector<step>& walked, std::uint64_t left,
                     int number, const std::string& where) {
  step s;
  int boundary = 0;
  std::uint64_t before = 0;
  for (;; ++before) {
    const repetition here = steps.repeats();
    if (here.rounds > left && here.from == 0 && boundary++ == number) {
      steps.skip(here.rounds - left);
      break;
    }
    if (!steps.next(s)) return;  // fewer boundaries than that
  }
  std::vector<step> rest;
  while (steps.next(s)) rest.push_back(s);
  ASSERT_LE(before + rest.size(), walked.size()) << where;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    ASSERT_TRUE(same(rest[i], walked[walked.size() - rest.size() + i]))
        << where << ", step " << i << " of the last " << rest.size();
  }
}

int compare(int ranks, function_ref<generator(int rank)> schedule_of, const std::string& name) {
  int repeating = 0;
  for (int rank = 0; rank < ranks; rank += 3) {
    std::vector<step> walked;
    bool repeats = false;
    generator all = schedule_of(rank);
    for (step s; all.next(s);) {
      walked.push_back(s);
      repeats = repeats || all.repeats().rounds > 4;
    }
    if (!repeats) continue;
    ++repeating;
    // At the first boundary the marks of earlier rounds are not there yet.
    for (const int number : {3, 4, 5, 11}) {
      for (const std::uint64_t left : {1, 2, 3}) {
        expect_same_end(schedule_of(rank), walked, left, number,
                        name + ", rank " + std::to_string(rank));
      }
    }
  }
  return repeating;
}

int compare(const collective::problem& call, const collective::selection& with) {
  return compare(
      call.ranks, [&](int rank) { return with.schedule_of(call, rank); },
      model::text_of(with.chosen->is, with.with));
}

}  // namespace

TEST(repetition, lands_where_walking_does) {
  collective::registry all;
  collective::add_algorithms(all);
  int repeating = 0;
  for (const kind what : {kind::barrier, kind::broadcast, kind::all_gather, kind::all_to_all,
                          kind::all_reduce, kind::scan}) {
    for (const std::uint64_t bytes : {400, 1000}) {
      collective::problem call;
      call.of = what;
      call.ranks = 40;
      call.bytes = bytes;
      for (const collective::algorithm* one : all.of(what)) {
        const collective::selection with{one, model::initial_values(one->is)};
        if (collective::registry::objection(with, call).empty()) repeating += compare(call, with);
      }
      if (what != kind::broadcast) continue;
      for (const char* name : {"knomial:k=3,segment=7", "kary:segment=9", "chain:segment=7"}) {
        const int found = compare(call, all.named(what, name));
        EXPECT_GT(found, 0) << name;
        repeating += found;
      }
    }
  }
  EXPECT_GE(repeating, 4 * 14);  // the ring and the tree with segments, at least
}

TEST(repetition, of_a_coroutine_lands_where_walking_does) {
  const auto data = collective::blocks::alike(40, 400);
  const int reduces = compare(
      40, [&](int rank) { return ring_reduce_scatter(data, rank); }, "ring reduce-scatter");
  const int gathers = compare(
      40, [&](int rank) { return ring_all_gather_v(data, rank, false); }, "ring all-gather");
  EXPECT_EQ(reduces, 14);
  EXPECT_EQ(gathers, 14);
}
