// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/ring_reduce.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

std::uint64_t ring_reduce::largest_block() const noexcept {
  const auto parts = static_cast<std::uint64_t>(ranks_);
  return (elements_ / parts + (elements_ % parts != 0 ? 1 : 0)) * element_bytes_;
}

piece ring_reduce::block(std::int64_t b, buffer of) const noexcept {
  const auto parts = static_cast<std::uint64_t>(ranks_);
  const auto which = static_cast<std::uint64_t>((b % ranks_ + ranks_) % ranks_);
  // The first blocks hold one element more; written so that it cannot overflow.
  const std::uint64_t each = elements_ / parts;
  const std::uint64_t longer = elements_ % parts;
  const std::uint64_t first = which * each + std::min(which, longer);
  const std::uint64_t count = each + (which < longer ? 1 : 0);
  return {of, first * element_bytes_, count * element_bytes_};
}

piece ring_reduce::slot(int turn, std::uint64_t bytes) const noexcept {
  return {buffer::scratch, (static_cast<unsigned>(turn) & 1U) * largest_block(), bytes};
}

bool ring_reduce::next(schedule::step& out, schedule::tape& on) {
  if (phase_ == phase::end) return false;
  if (ranks_ == 1) {
    keep(out, on);
  } else if (phase_ == phase::gather) {
    gather(out, on);
  } else {
    take_turn(out, on);
  }
  return true;
}

void ring_reduce::keep(schedule::step& out, schedule::tape& on) {
  out.left = block(0, buffer::input);
  out.into = block(0, buffer::output);
  on.emit(out);
  phase_ = phase::end;
}

/// Turn t: block position - t goes on, block position - t - 1 comes and is combined.
void ring_reduce::take_turn(schedule::step& out, schedule::tape& on) {
  const piece mine = block(std::int64_t{position_} - turn_ - 1, buffer::input);
  const bool last = turn_ == ranks_ - 2;
  out.edge = out.round = static_cast<std::uint32_t>(turn_);
  switch (phase_) {
    case phase::send:
      out.kind = step_kind::send;
      out.peer = rank_of(std::int64_t{position_} + 1);
      out.left = block(std::int64_t{position_} - turn_, buffer::input);
      if (turn_ != 0) out.left = slot(turn_ - 1, out.left.bytes);
      sent_before_ = sent_;
      // So that the root knows by its last send that the first has gone too.
      sent_ = on.emit(out, combined_, in_place_ && position_ == 0 ? sent_before_ : schedule::never);
      phase_ = phase::receive;
      return;
    case phase::receive:
      out.kind = step_kind::receive;
      out.peer = rank_of(std::int64_t{position_} - 1 + ranks_);
      out.into = slot(turn_, mine.bytes);
      // What was combined in the slot two turns ago went on the turn before.
      on.emit(out, turn_ >= 2 ? sent_before_ : schedule::never);
      phase_ = phase::combine;
      return;
    default:
      out.kind = step_kind::reduce;
      out.left = slot(turn_, mine.bytes);
      out.right = mine;
      out.into = out.left;
      if (last && position_ == 0) {
        out.into = mine;
        out.into.of = buffer::output;
      }
      combined_ = on.emit(out, on.latest());
      phase_ = last ? phase::gather : phase::send;
      ++turn_;
  }
}

/// Block p + 1 has come to its end at position p. The root begins with the one that it sent itself.
void ring_reduce::gather(schedule::step& out, schedule::tape& on) {
  const int position = position_ == 0 ? ranks_ - 1 - gathered_ : position_;
  out.placed = !in_place_ || position + 1 != ranks_;
  out.edge = static_cast<std::uint32_t>(ranks_ - 1) + static_cast<std::uint32_t>(position);
  out.round = static_cast<std::uint32_t>(ranks_ - 1);
  out.into = block(std::int64_t{position} + 1, buffer::output);
  if (position_ != 0) {
    out.kind = step_kind::send;
    out.peer = root_;
    out.left = slot(ranks_ - 2, out.into.bytes);
    if (!out.placed) out.into = {};
    on.emit(out, combined_);
    phase_ = phase::end;
    return;
  }
  out.kind = step_kind::receive;
  out.peer = rank_of(position);
  on.emit(out);
  if (++gathered_ == ranks_ - 1) phase_ = phase::end;
}

}  // namespace upwash::collective
