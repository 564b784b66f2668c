// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `upwash schedule` prints.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/equal_lengths.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"
#include "upwash/schedule/recording.hpp"

namespace upwash::tools {

struct asked_schedule {
  collective::problem call;
  collective::selection with;
  std::optional<int> rank;
  std::optional<machine> on;
  schedule::price_options options;
  equal_lengths lengths;     ///< for irregular collectives
  bool copies_free = false;  ///< the machine has no cost for them

  /// Where all steps are known only when all ranks' messages have flowed.
  std::shared_ptr<const schedule::recording> recorded;
  bool as_priced = false;  ///< the schedules that stand for those known in a run only

  [[nodiscard]] schedule::generator steps_of(int rank_of_team) const {
    if (recorded) return recorded->steps_of(rank_of_team);
    return as_priced ? with.priced_schedule_of(call, rank_of_team)
                     : with.schedule_of(call, rank_of_team);
  }
  [[nodiscard]] schedule::transfer_rules rules() const { return rules_of(with, call); }
  [[nodiscard]] known_words words_of(int rank_of_team) const {
    if (recorded || (as_priced && with.chosen->priced_as != nullptr)) return {};
    return lengths.of(rank_of_team, steps_of(rank_of_team));
  }
};

/// Records all ranks' steps, if a schedule asks for more than can be told beforehand.
void record_if_needed(asked_schedule& asked);

/// The algorithms of the collective; by price where there is a machine. `chosen`: what jobs choose
/// there; empty: nothing is known.
void print_algorithms(const collective::registry& all, const asked_schedule& asked,
                      const std::string& chosen);

/// The same as one JSON object an algorithm.
void print_algorithms_json(const collective::registry& all, const asked_schedule& asked,
                           const std::string& chosen);

/// The steps of the rank, or of all ranks of a small team; counts; the price.
void print_text(const asked_schedule& asked);

/// One object a rank: messages, bytes, rounds, times on the machine; and its steps, where one rank
/// is asked for or all ranks together have few.
void print_json(const asked_schedule& asked);

}  // namespace upwash::tools
