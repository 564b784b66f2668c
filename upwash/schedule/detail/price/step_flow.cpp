// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/step_flow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::schedule::detail {

void step_flow::finish(int rank, step_number n, duration at) {
  rank_window& window = uses_.windows[rank];
  const open_step& s = window.at(n);
  const bool ends_unit = s.ends_unit;
  const std::uint32_t phase = s.phase;
  if (uses_.options.trace) {
    (*uses_.options.trace)({uses_.team.member(rank), n, std::min(s.begun, at), at}, s.what);
  }
  window.finish(n, at, [&](step_number freed) {
    uses_.events.post(window.at(freed).ready, rank, happening::ready, freed);
  });
  refill(rank);
  if (ends_unit) uses_.rounds.end_of_unit(rank, phase, at);
}

void step_flow::refill(int rank) {
  rank_window& window = uses_.windows[rank];
  for (step_number n = 0; (n = window.emit(uses_.rounds.rounds_in_unit())) != no_step;) {
    if (const auto ended = window.ended_unit()) {
      uses_.rounds.end_of_unit(rank, window.phase(), *ended);
    }
    const open_step& s = window.at(n);
    if (names_stranger(s.what, uses_.team.team())) [[unlikely]]
      refuse(uses_.team.member(rank), n, s.what);
    uses_.windows.count(s.what);
    if (uses_.windows.steps() > uses_.options.most_steps) return;
    if (s.waits == 0) uses_.events.post(s.ready, rank, happening::ready, n);
  }
}

/// Nobody has validated it.
void step_flow::refuse(int member, step_number n, const step& s) const {
  throw error(error_kind::argument,
              fmt::format("cannot be priced: rank {}, {} {}", member, name_step(n, s),
                          stranger_of(s, uses_.team.team())));
}

}  // namespace upwash::schedule::detail
