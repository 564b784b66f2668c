// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/ring_all_reduce.hpp"

#include <algorithm>
#include <utility>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

std::uint64_t ring_all_reduce::largest_block() const noexcept {
  const auto parts = static_cast<std::uint64_t>(ranks_);
  return (elements_ + parts - 1) / parts * element_bytes_;
}

piece ring_all_reduce::block(std::int64_t b) const noexcept {
  const auto parts = static_cast<std::uint64_t>(ranks_);
  const auto which = static_cast<std::uint64_t>((b % ranks_ + ranks_) % ranks_);
  // The first blocks hold one element more; written so that it cannot overflow.
  const std::uint64_t each = elements_ / parts;
  const std::uint64_t longer = elements_ % parts;
  const std::uint64_t first = which * each + (which < longer ? which : longer);
  const std::uint64_t count = each + (which < longer ? 1 : 0);
  return {buffer::output, first * element_bytes_, count * element_bytes_};
}

bool ring_all_reduce::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::copy) {
    out.kind = step_kind::copy;
    out.left = {buffer::input, 0, elements_ * element_bytes_};
    out.into = {buffer::output, 0, elements_ * element_bytes_};
    ready_ = on.emit(out);
    phase_ = phase::send;
    return true;
  }
  if (ranks_ == 1 || phase_ == phase::end) return false;
  if (phase_ < phase::pass_send) {
    combine(out, on);
  } else {
    pass_on(out, on);
  }
  return true;
}

/// Turns of a half are alike as long as the blocks that go and come are as long as now.
schedule::repetition ring_all_reduce::repeats() const noexcept {
  if (phase_ != phase::send && phase_ != phase::pass_send) return {};
  const std::int64_t going = std::int64_t{rank_} - turn_ + (phase_ == phase::send ? 0 : 1);
  const auto left = static_cast<std::uint64_t>(ranks_ - 1 - turn_);
  const std::uint64_t longer = elements_ % static_cast<std::uint64_t>(ranks_);
  if (longer == 0) return {.rounds = left};
  // The first blocks are the longer ones, and turns go through the blocks downwards.
  const auto which = static_cast<std::uint64_t>((going % ranks_ + ranks_) % ranks_);
  return {.rounds = std::min(left, which < longer ? which : which - longer)};
}

void ring_all_reduce::skip(std::uint64_t rounds) noexcept {
  turn_ += static_cast<int>(rounds);
  if (rounds % 2 != 0) std::swap(reduced_[0], reduced_[1]);
}

/// Round `turn_`: block rank - turn goes on, block rank - turn - 1 comes and is combined.
void ring_all_reduce::combine(schedule::step& out, schedule::tape& on) {
  const auto parity = static_cast<unsigned>(turn_) & 1U;
  const piece coming = block(std::int64_t{rank_} - turn_ - 1);
  const piece slot{buffer::scratch, parity * largest_block(), coming.bytes};
  out.edge = out.round = static_cast<std::uint32_t>(turn_);
  switch (phase_) {
    case phase::send:
      out.kind = step_kind::send;
      out.peer = (rank_ + 1) % ranks_;
      out.left = block(std::int64_t{rank_} - turn_);
      sent_ = on.emit(out, ready_);
      phase_ = phase::receive;
      return;
    case phase::receive:
      out.kind = step_kind::receive;
      out.peer = (rank_ + ranks_ - 1) % ranks_;
      out.into = slot;
      // The slot was last read two turns ago.
      received_ = on.emit(out, turn_ >= 2 ? reduced_[parity] : schedule::never);
      phase_ = phase::reduce;
      return;
    default:
      out.kind = step_kind::reduce;
      out.left = slot;
      out.right = coming;
      out.into = coming;
      // Behind its send too: so whoever is behind the last reduction is behind every send, and may
      // overwrite what they read.
      ready_ = on.emit(out, received_, sent_);
      reduced_[parity] = ready_;
      phase_ = ++turn_ == ranks_ - 1 ? phase::pass_send : phase::send;
      if (phase_ == phase::pass_send) turn_ = 0;
  }
}

/// Round `turn_` of the second half: block rank + 1 - turn goes on, block rank - turn comes.
void ring_all_reduce::pass_on(schedule::step& out, schedule::tape& on) {
  out.edge = out.round = static_cast<std::uint32_t>(ranks_ - 1 + turn_);
  if (phase_ == phase::pass_send) {
    out.kind = step_kind::send;
    out.peer = (rank_ + 1) % ranks_;
    out.left = block(std::int64_t{rank_} + 1 - turn_);
    on.emit(out, ready_);
    phase_ = phase::pass_receive;
    return;
  }
  out.kind = step_kind::receive;
  out.peer = (rank_ + ranks_ - 1) % ranks_;
  out.into = block(std::int64_t{rank_} - turn_);
  ready_ = on.emit(out, ready_);
  phase_ = ++turn_ == ranks_ - 1 ? phase::end : phase::pass_send;
}

}  // namespace upwash::collective
