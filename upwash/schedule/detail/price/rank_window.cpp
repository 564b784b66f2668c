// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/rank_window.hpp"

#include <algorithm>
#include <utility>

namespace upwash::schedule::detail {

step_number rank_window::emit(std::uint32_t rounds_in_unit) {
  if (ended_ || at_stage_ || next_ - base_ == size_) return no_step;
  see_boundary(rounds_in_unit);
  if (next_ - base_ == ring_.size()) grow();
  open_step& s = at(next_);
  if (!steps_.next(s.what, known_)) {
    ended_ = true;
    return no_step;
  }
  s.what.edge -= edge_shift_;
  at_stage_ = s.what.kind == step_kind::stage;
  const step_number n = next_++;
  s.begin(before_base_);
  link(n);
  return n;
}

void rank_window::link(step_number n) {
  open_step& s = at(n);
  for (std::size_t i = 0; i < s.what.after.size(); ++i) {
    const std::uint32_t distance = s.what.after[i];
    if (distance == 0 || distance > n || n - distance < base_) continue;
    open_step& earlier = at(n - distance);
    if (earlier.done) {
      s.ready = std::max(s.ready, earlier.done_at);
      continue;
    }
    s.next_dependent[i] =
        std::exchange(earlier.first_dependent, n * step::most_dependencies + i + 1);
    ++s.waits;
  }
  if (s.what.after_all && base_ != n) {
    s.waits_for_all = true;
    ++s.waits;
  }
}

void rank_window::see_boundary(std::uint32_t rounds_in_unit) {
  const repetition here = steps_.repeats(known_);
  if (here.rounds == 0 || here.from != 0) return;
  const bool goes_on = rounds_left_ != 0 && here.rounds + 1 == rounds_left_;
  rounds_left_ = here.rounds;
  edges_a_round_ = here.edges;
  if (!goes_on) {
    ++phase_;
    rounds_seen_ = 0;
    return;
  }
  if (++rounds_seen_ % rounds_in_unit == 0) {
    if (next_ > base_ && !at(next_ - 1).done) {
      at(next_ - 1).ends_unit = true;
      at(next_ - 1).phase = phase_;
    } else {
      ended_unit_ = next_ > base_ ? at(next_ - 1).done_at : before_base_;
    }
  }
  if (to_skip_ != 0) {
    steps_.skip(to_skip_);
    rounds_left_ -= to_skip_;
    skipped_ += to_skip_;
    edge_shift_ += static_cast<std::uint32_t>(to_skip_) * edges_a_round_;
    to_skip_ = 0;
  }
}

/// Twice the room: steps keep their numbers, their places change.
void rank_window::grow() {
  std::vector<open_step> wider(std::max<std::size_t>(4, ring_.size() * 2));
  for (step_number n = base_; n < next_; ++n) wider[n & (wider.size() - 1)] = at(n);
  ring_ = std::move(wider);
}

void rank_window::shift(duration by) {
  before_base_ += by;
  last_done_ += by;
  for (step_number n = base_; n < next_; ++n) {
    at(n).ready += by;
    at(n).begun += by;
    at(n).done_at += by;
  }
}

}  // namespace upwash::schedule::detail
