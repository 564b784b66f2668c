// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of the stencil on all ranks by several exchanges in turn, and what each took.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/stencil/halo.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"

namespace stencil {

struct task {
  int cube = 64;  ///< cells a side
  int points = 7;
  int steps = 20;
  double mflops = 1000;  ///< of a simulated processor
};

/// One way of exchange, and the times of its turns: the same at all ranks.
struct timed_run {
  std::string by;
  std::unique_ptr<halo> is;
  upwash::duration first;                  ///< the exchange made, with its first
  std::vector<upwash::duration> exchange;  ///< of all steps, with packing; the slowest rank's
  std::vector<upwash::duration> all;
  std::uint64_t mark = 0;  ///< of all ranks' cells, after the last turn
};

/// The ranks on a grid: as cubic as their number allows. Throws `error` (configuration) where a
/// rank would have no cells.
[[nodiscard]] upwash::grid places_of(int ranks, const task& what);

/// Collective, blocking; errors as make_halo and places_of.
[[nodiscard]] std::vector<timed_run> make_runs(upwash::job& here, const task& what,
                                               std::span<const std::string> exchanges);
/// Every run from the first values on, `repeats` times, in turn: A B C A B C. Collective, blocking;
/// gives the exchanges back at the end.
void run_in_turn(upwash::job& here, const task& what, std::span<timed_run> runs, int repeats);

}  // namespace stencil
