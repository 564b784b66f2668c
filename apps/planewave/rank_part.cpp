// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/rank_part.hpp"

#include "upwash/base/random.hpp"
#include "upwash/core/job.hpp"

namespace planewave {

void rank_part::begin(const links& with) {
  on_ = with;
  compute_.emplace(with.chosen->in);
  found_ = {};
  heard_ = 0;
  if (here_.rank() != 0) return;
  const auto steps = static_cast<std::size_t>(chosen().steps) + 1;
  found_.found.steps.resize(steps);
  found_.known.resize(steps);
}

void rank_part::charge(double work) {
  here_.compute(upwash::duration::from_us(work / chosen().mflops));
}

int rank_part::goes_to(const plane_index& object, bool real, std::int64_t step) {
  if (chosen().wander == 0) return -1;
  const auto number = static_cast<std::uint64_t>((object[0] * chosen().in.planes + object[1]) * 2);
  upwash::random_stream draws(number + (real ? 1 : 0), static_cast<std::uint64_t>(step));
  if (draws.below(static_cast<std::uint64_t>(chosen().wander)) != 0) return -1;
  ++found_.migrations;
  return static_cast<int>(draws.below(static_cast<std::uint64_t>(here_.size())));
}

void rank_part::add_density(std::int64_t step, const density_sums& of_plane) {
  density_sums& all = found_.found.steps[static_cast<std::size_t>(step)].density;
  all.charge += of_plane.charge;
  all.energy += of_plane.energy;
  one_more();
}

void rank_part::end_step(std::int64_t step, const std::vector<overlap>& of_all) {
  found_.found.steps[static_cast<std::size_t>(step)].overlaps = of_all;
  found_.known[static_cast<std::size_t>(step)] = here_.now();
  one_more();
}

void rank_part::end(const waves& by_state) {
  found_.found.marks = by_state;
  *on_.ended = 1;
}

/// Densities come by plane, overlaps from step 0 on.
void rank_part::one_more() {
  const std::int64_t all = chosen().steps * (chosen().in.planes + std::int64_t{1}) + 1;
  if (++heard_ == all) *on_.done = 1;
}

}  // namespace planewave
