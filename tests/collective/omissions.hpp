// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Leaves out each dependency of an algorithm in turn: without it something must go wrong.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "upwash/schedule/recording.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::collective {

using namespace upwash::schedule;  // NOLINT(google-build-using-namespace)

/// The dependencies of all ranks without which nothing goes wrong, in words.
template <class ScheduleOf, class Wanted>
std::string needless(const expectation& of, const ScheduleOf& schedule_of, const Wanted& wanted) {
  std::vector<std::vector<step>> all(static_cast<std::size_t>(of.ranks));
  for (int rank = 0; rank < of.ranks; ++rank) {
    generator steps = schedule_of(rank);
    facts known;
    std::vector<std::uint64_t> words(steps.wants().slots);
    known.slots = words;
    if (!of.calls.empty()) {
      const rank_call& call = of.calls[static_cast<std::size_t>(rank)];
      for (std::size_t i = 0; i < call.given.size(); ++i) known.given[i] = call.given[i];
      known.input_bytes = call.input_bytes.value_or(of.input_bytes);
      known.output_bytes = call.output_bytes.value_or(of.output_bytes);
    }
    for (step s; steps.next(s, known);) all[static_cast<std::size_t>(rank)].push_back(s);
  }
  const auto is_wrong = [&] {
    const auto of_rank = [&](int rank) {
      needs wants = schedule_of(rank).wants();
      wants.rank_class = 0;
      wants.edges_apart = wants.alike = wants.given = false;
      return emit_recorded(all[static_cast<std::size_t>(rank)], wants);
    };
    return !validate(of, of_rank, wanted, 1).empty();
  };
  EXPECT_FALSE(is_wrong());
  std::string found;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (std::size_t i = 0; i < all[rank].size(); ++i) {
      step& here = all[rank][i];
      const step whole = here;
      const auto check = [&](std::uint32_t distance) {
        if (!is_wrong()) {
          found += "rank " + std::to_string(rank) + ", step " + std::to_string(i) + ": " +
                   (distance == 0 ? "all" : std::to_string(distance)) + "; ";
        }
        here = whole;
      };
      for (std::uint32_t& distance : here.after) {
        if (distance == 0) continue;
        const std::uint32_t was = distance;
        distance = 0;
        check(was);
      }
      if (here.after_all) {
        here.after_all = false;
        check(0);
      }
    }
  }
  return found;
}

}  // namespace upwash::collective
