// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/peer_segments.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

peer_segments::peer_segments(const call& of) : of_(of) {
  of_.piece_bytes =
      std::max<std::uint64_t>(of.piece_bytes - of.piece_bytes % of.element_bytes, of.element_bytes);
}

piece peer_segments::segment_of(int member) const noexcept {
  const auto members = static_cast<std::uint64_t>(of_.ranks);
  const std::uint64_t each =
      (of_.bytes / of_.element_bytes + members - 1) / members * of_.element_bytes;
  const std::uint64_t first = std::min(static_cast<std::uint64_t>(member) * each, of_.bytes);
  return {buffer::output, first, std::min(each, of_.bytes - first)};
}

piece peer_segments::piece_in(buffer of, int member) const noexcept {
  const piece all = segment_of(member);
  return {of, all.offset + at_, std::min(of_.piece_bytes, all.bytes - at_)};
}

piece peer_segments::combined() const noexcept {
  return {buffer::scratch, 0, own_piece(buffer::scratch).bytes};
}

piece peer_segments::fetched() const noexcept {
  return {buffer::scratch, scratch_bytes() / 2, own_piece(buffer::scratch).bytes};
}

/// The next rank's segment first, so that not all read the same.
int peer_segments::next_member() const noexcept {
  return static_cast<int>((std::int64_t{of_.rank} + turn_) % of_.ranks);
}

/// Once for each member.
bool peer_segments::look(schedule::step& out) {
  out.kind = step_kind::await;
  out.peer = turn_;
  out.edge = done;
  out.value = 1;
  return at_ == 0 && turn_ != of_.rank;
}

bool peer_segments::fetch(schedule::step& out) {
  out.left = own_piece(contributions());
  out.left.owner = turn_;
  out.into = turn_ == 0 ? combined() : fetched();
  out.left.bytes = out.into.bytes = out.left.bytes * of_.fetch_weight;
  return turn_ != of_.rank;
}

/// Of the first member there is nothing to combine with.
bool peer_segments::combine(schedule::step& out) {
  const piece own = own_piece(contributions());
  const int turn = turn_++;
  const bool last = turn_ == of_.ranks;
  out.kind = step_kind::reduce;
  out.left = turn == 1 && of_.rank == 0 ? own : combined();
  out.right = turn == of_.rank ? own : fetched();
  out.into = last ? own_piece(buffer::output) : combined();
  phase_ = phase::look;
  if (last) {
    turn_ = 0;
    at_ += own.bytes;
    if (at_ == segment_of(of_.rank).bytes) phase_ = phase::tell;
  }
  return turn != 0;
}

bool peer_segments::take(schedule::step& out) {
  const int member = next_member();
  out.into = piece_in(buffer::output, member);
  out.left = out.into;
  out.left.owner = member;
  out.round = 1;
  at_ += out.into.bytes;
  out.left.bytes = out.into.bytes = out.into.bytes * of_.fetch_weight;
  if (at_ == segment_of(member).bytes) phase_ = phase::thank;
  return out.into.bytes != 0;
}

bool peer_segments::act(schedule::step& out) {
  const bool has_segment = segment_of(of_.rank).bytes != 0;
  switch (phase_) {
    case phase::announce:
      phase_ = has_segment ? phase::look : phase::tell;
      if (of_.ranks == 1) {
        phase_ = phase::end;
        out.left = {buffer::input, 0, of_.bytes};
        out.into = {buffer::output, 0, of_.bytes};
        return !of_.in_place;
      }
      out.kind = step_kind::signal;
      out.edge = done;
      return true;
    case phase::look: phase_ = phase::fetch; return look(out);
    case phase::fetch: phase_ = phase::combine; return fetch(out);
    case phase::combine: return combine(out);
    case phase::tell:
      turn_ = 1;
      phase_ = phase::wait;
      out.kind = step_kind::signal;
      out.edge = done;
      return true;
    case phase::wait:
      phase_ = phase::take;
      at_ = 0;
      out.kind = step_kind::await;
      out.peer = next_member();
      out.edge = done;
      out.value = 2;
      out.round = 1;
      return true;
    case phase::take: return take(out);
    case phase::thank: {
      out.kind = step_kind::signal;
      out.peer = next_member();
      out.edge = was_read;
      out.round = 1;
      const bool read = segment_of(out.peer).bytes != 0;
      phase_ = ++turn_ == of_.ranks ? phase::leave : phase::wait;
      return read;
    }
    case phase::leave:
      phase_ = phase::end;
      out.kind = step_kind::await;
      out.edge = was_read;
      out.value = static_cast<std::uint64_t>(of_.ranks - 1);
      out.round = 1;
      return has_segment;
    case phase::end: break;
  }
  return false;
}

void peer_segments::emit(phase /*of*/, schedule::step& out, schedule::tape& on) {
  on.emit(out, on.latest());
}

}  // namespace upwash::collective
