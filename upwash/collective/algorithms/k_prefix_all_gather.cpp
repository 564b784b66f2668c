// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/k_prefix_all_gather.hpp"

#include <algorithm>

#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::step_kind;

k_prefix_all_gather::k_prefix_all_gather(int ranks, int rank, std::uint64_t bytes,
                                         const parameters& chosen, bool in_place)
    : ranks_(ranks),
      rank_(rank),
      k_(partition(ranks, chosen.k)),
      pacing_(
          static_cast<std::uint32_t>(std::min(chosen.pacing, static_cast<std::uint64_t>(ranks)))),
      bytes_(bytes),
      phase_(in_place ? phase::send : phase::keep),
      holds_(rank),
      barrier_(ranks, rank) {}

int k_prefix_all_gather::partition(int ranks, std::uint64_t k) noexcept {
  const std::uint64_t both = static_cast<std::uint64_t>(ranks) | k;
  return static_cast<int>(both & (~both + 1));  // the lowest bit of either
}

std::uint32_t k_prefix_all_gather::window() const noexcept {
  return 2 * most_sends;  // a send and a receive each; behind a barrier all begins anew
}

schedule::piece k_prefix_all_gather::block(std::int64_t of) const noexcept {
  const std::int64_t origin = (of % ranks_ + ranks_) % ranks_;
  return {buffer::output, static_cast<std::uint64_t>(origin) * bytes_, bytes_};
}

bool k_prefix_all_gather::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::keep) {
    out.left = {buffer::input, 0, bytes_};
    out.into = block(rank_);
    sent_.fill(on.emit(out));
    phase_ = phase::send;
    return true;
  }
  if (phase_ == phase::barrier && next_of_barrier(out, on)) return true;
  if (turn_ == ranks_ - 1) return false;
  if (phase_ == phase::send) {
    send(out, on);
  } else {
    receive(out, on);
  }
  return true;
}

void k_prefix_all_gather::send(schedule::step& out, schedule::tape& on) {
  const bool near = step_ + 1 < k_;
  out.kind = step_kind::send;
  out.placed = true;
  out.peer = near ? rank_ ^ (step_ + 1) : static_cast<int>((std::int64_t{rank_} + k_) % ranks_);
  out.edge = static_cast<std::uint32_t>(turn_);
  out.round = round_;
  out.left = out.into = block(holds_);
  out.into.owner = out.peer;
  schedule::mark& place = sent_[static_cast<std::size_t>(step_) % most_sends];
  place = on.emit(out, place);
  phase_ = phase::receive;
}

/// What comes lands at its place in the output, whenever it comes.
void k_prefix_all_gather::receive(schedule::step& out, schedule::tape& on) {
  const bool near = step_ + 1 < k_;
  out.kind = step_kind::receive;
  out.placed = true;
  out.peer =
      near ? rank_ ^ (step_ + 1) : static_cast<int>((std::int64_t{rank_} - k_ + ranks_) % ranks_);
  out.edge = static_cast<std::uint32_t>(turn_);
  out.round = round_;
  out.into = block(near ? holds_ + out.peer - rank_ : holds_ - k_);
  const schedule::mark came = on.emit(out);
  if (near) {
    ++step_;
  } else {
    holds_ -= k_;
    step_ = 0;
    sent_.fill(came);
  }
  ++turn_;
  ++round_;
  const bool pauses = pacing_ != 0 && turn_ % static_cast<int>(pacing_) == 0;
  phase_ = pauses && turn_ < ranks_ - 1 ? phase::barrier : phase::send;
}

/// A barrier behind all that was emitted; at its end the next turn begins, behind it.
bool k_prefix_all_gather::next_of_barrier(schedule::step& out, schedule::tape& on) {
  const std::uint32_t levels = dissemination_barrier::rounds(ranks_);
  if (barrier_.next(out, on)) {
    const std::uint32_t first_edge = static_cast<std::uint32_t>(ranks_) - 1 + barriers_ * levels;
    schedule::place_behind_all(out, {.first_edge = first_edge, .first_round = round_},
                               barrier_begun_, on);
    return true;
  }
  sent_.fill(barrier_.passed());
  barrier_ = dissemination_barrier(ranks_, rank_);
  barrier_begun_ = schedule::never;
  ++barriers_;
  round_ += levels;
  phase_ = phase::send;
  return false;
}

}  // namespace upwash::collective
