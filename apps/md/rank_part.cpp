// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/rank_part.hpp"

#include <utility>

#include "upwash/base/random.hpp"
#include "upwash/core/job.hpp"

namespace md {

void rank_part::begin(const links& with) {
  on_ = with;
  found_ = {};
  late_at_ = 0;
  heard_ = 0;
  if (here_.rank() != 0) return;
  const auto steps = static_cast<std::size_t>(what().steps) + 1;
  found_.by_step.resize(steps);
  found_.known.resize(steps);
}

void rank_part::charge(std::uint64_t pairs) {
  here_.compute(on_.chosen->pair_time * static_cast<std::int64_t>(pairs));
}

void rank_part::release_computes() {
  holds_ = false;
  for (const compute_index& each : std::exchange(held_back_, {})) {
    (*on_.computes)[each].send<&compute::work>();
  }
}

bool rank_part::holds_back(const compute_index& one) {
  if (holds_) held_back_.push_back(one);
  return holds_;
}

void rank_part::begin_step(std::int64_t step) {
  const lateness& late = on_.chosen->late;
  if (late.rank != here_.rank() || step % late.every != 0 || step <= late_at_) return;
  late_at_ = step;
  here_.compute(late.time);
}

int rank_part::goes_to(std::uint64_t object, std::int64_t step) {
  if (on_.chosen->wander == 0) return -1;
  upwash::random_stream draws(object, static_cast<std::uint64_t>(step));
  if (draws.below(static_cast<std::uint64_t>(on_.chosen->wander)) != 0) return -1;
  ++found_.migrations;
  return static_cast<int>(draws.below(static_cast<std::uint64_t>(here_.size())));
}

bool rank_part::goes_on(std::int64_t step) const noexcept {
  return step < what().steps &&
         (on_.chosen->balance == 0 || step % on_.chosen->balance != 0 || step == 0);
}

void rank_part::hear(const energies& now) {
  const auto step = static_cast<std::size_t>(now.step);
  found_.by_step[step] = now;
  found_.known[step] = here_.now();
  *on_.done = ++heard_;
}

}  // namespace md
