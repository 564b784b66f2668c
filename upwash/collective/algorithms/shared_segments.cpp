// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/shared_segments.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

piece shared_segments::segment(buffer of, int member) const noexcept {
  const std::uint64_t each = segment_bytes(of_.ranks, of_.bytes, of_.element_bytes);
  const std::uint64_t first = std::min(static_cast<std::uint64_t>(member) * each, of_.bytes);
  return {of, first, std::min(each, of_.bytes - first)};
}

piece shared_segments::operand(int member) const noexcept {
  if (member == of_.rank) return segment(of_.in_place ? buffer::output : buffer::input, of_.rank);
  piece theirs = segment(buffer::shared, of_.rank);
  theirs.owner = member;
  return theirs;
}

piece shared_segments::sum(int member) const noexcept {
  return {buffer::shared, of_.bytes, segment(buffer::shared, member).bytes,
          member == of_.rank ? schedule::own : member};
}

/// Its own segment first, then the next rank's.
int shared_segments::taken_from() const noexcept {
  return static_cast<int>((std::int64_t{of_.rank} + turn_) % of_.ranks);
}

void shared_segments::combine(schedule::step& out) const {
  out.into = sum(of_.rank);
  if (turn_ == 0) {
    out.kind = step_kind::copy;
    out.left = operand(0);
    return;
  }
  out.kind = step_kind::reduce;
  out.left = out.into;
  out.right = operand(turn_);
}

bool shared_segments::act(schedule::step& out) {
  switch (phase_) {
    case phase::lay_out:
      phase_ = phase::announce;
      out.kind = step_kind::copy;
      out.left = {of_.in_place ? buffer::output : buffer::input, 0, of_.bytes};
      out.into = {buffer::shared, 0, of_.bytes};
      return of_.ranks > 1;
    case phase::announce:
      phase_ = phase::look;
      out.kind = step_kind::signal;
      out.edge = is_there;
      return of_.ranks > 1;
    case phase::look:
      phase_ = phase::combine;
      out.kind = step_kind::await;
      out.peer = turn_;
      out.edge = is_there;
      out.value = 1;
      return turn_ != of_.rank;
    case phase::combine:
      combine(out);
      phase_ = ++turn_ == of_.ranks ? phase::tell : phase::look;
      return true;
    case phase::tell:
      turn_ = 0;
      phase_ = takes() ? phase::wait : phase::end;
      out.kind = step_kind::signal;
      out.edge = is_combined;
      return of_.ranks > 1;
    case phase::wait:
      phase_ = phase::take;
      out.kind = step_kind::await;
      out.peer = taken_from();
      out.edge = is_combined;
      out.value = 1;
      out.round = 1;
      return turn_ != 0;
    case phase::take:
      out.kind = step_kind::copy;
      out.left = sum(taken_from());
      out.into = segment(buffer::output, taken_from());
      out.round = 1;
      phase_ = ++turn_ == of_.ranks ? phase::end : phase::wait;
      return true;
    case phase::end: break;
  }
  return false;
}

void shared_segments::emit(phase of, schedule::step& out, schedule::tape& on) {
  const schedule::mark before = on.latest();
  switch (of) {
    case phase::lay_out:
      on.emit(out);
      if (of_.in_place) combined_ = on.latest();  // the result overwrites what it reads
      return;
    case phase::announce: on.emit(out, before); return;
    case phase::combine: {
      const bool looked = turn_ - 1 != of_.rank;  // the turn has gone on
      on.emit(out, looked ? before : schedule::never, combined_);
      combined_ = on.latest();
      return;
    }
    case phase::tell: on.emit(out, combined_); return;
    case phase::take: on.emit(out, turn_ == 1 ? combined_ : before); return;
    default: on.emit(out); return;
  }
}

}  // namespace upwash::collective
