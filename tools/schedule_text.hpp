// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `upwash schedule` prints.
#pragma once

#include <optional>

#include "tools/equal_lengths.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::tools {

struct asked_schedule {
  collective::problem call;
  collective::selection with;
  std::optional<int> rank;
  std::optional<machine> on;
  schedule::transfer_rules rules;
  schedule::price_options options;
  equal_lengths lengths;     ///< for irregular collectives
  bool copies_free = false;  ///< the machine has no cost for them

  [[nodiscard]] schedule::generator steps_of(int rank_of_team) const {
    return with.schedule_of(call, rank_of_team);
  }
  [[nodiscard]] known_words words_of(int rank_of_team) const {
    return lengths.of(rank_of_team, steps_of(rank_of_team));
  }
};

/// The algorithms of the collective; by price where there is a machine.
void print_algorithms(const collective::registry& all, const asked_schedule& asked);

/// The steps of the rank, or of all ranks of a small team; counts; the price.
void print_text(const asked_schedule& asked);

/// One object a rank: messages, bytes, rounds, times on the machine.
void print_json(const asked_schedule& asked);

}  // namespace upwash::tools
