// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/one_round.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::piece;
using schedule::step_kind;

bool one_round::has_parts(task what) noexcept {
  return what == task::scatter || what == task::all_to_all || what == task::reduce_scatter;
}

std::uint64_t one_round::contributed_bytes(task what, int ranks, std::uint64_t bytes) {
  return has_parts(what) ? bytes * static_cast<std::uint64_t>(ranks) : bytes;
}

std::uint64_t one_round::shared_bytes() const noexcept {
  return from_ == source::shared_scratch ? contributed_bytes(what_, of_.ranks, of_.bytes) : 0;
}

bool one_round::exposes_input() const noexcept {
  return from_ == source::buffer && theirs() == buffer::input;
}

bool one_round::exposes_output() const noexcept {
  return from_ == source::buffer && theirs() == buffer::output;
}

int one_round::readers() const noexcept {
  switch (what_) {
    case task::broadcast:
    case task::scatter: return is_root() ? of_.ranks - 1 : 0;
    case task::gather:
    case task::reduce: return is_root() ? 0 : 1;
    case task::scan:
    case task::exclusive_scan: return of_.ranks - 1 - of_.rank;
    default: return of_.ranks - 1;
  }
}

int one_round::sources() const noexcept {
  switch (what_) {
    case task::broadcast:
    case task::scatter: return is_root() ? 0 : 1;
    case task::gather: return is_root() ? of_.ranks - 1 : 0;
    case task::reduce: return is_root() ? of_.ranks : 0;
    case task::all_gather:
    case task::all_to_all: return of_.ranks - 1;
    case task::scan: return of_.rank + 1;
    case task::exclusive_scan: return of_.rank;
    default: return of_.ranks;
  }
}

/// Operands in the order of ranks; else the next rank's first, so that not all read the same.
int one_round::source_at(int turn) const noexcept {
  if (combines()) return turn;
  if (what_ == task::broadcast || what_ == task::scatter) return of_.root;
  return static_cast<int>((std::int64_t{of_.rank} + 1 + turn) % of_.ranks);
}

/// Also what this rank's own result would overwrite before it is combined.
bool one_round::lays_out() const noexcept {
  const bool kept_apart = combines() && of_.in_place && of_.rank != 0;
  return kept_apart || (from_ == source::shared_scratch && readers() != 0);
}

piece one_round::contribution() const noexcept {
  const std::uint64_t bytes = contributed_bytes(what_, of_.ranks, of_.bytes);
  if (!of_.in_place) return {buffer::input, 0, bytes};
  const bool at_place = what_ == task::all_gather;
  return {buffer::output, at_place ? static_cast<std::uint64_t>(of_.rank) * bytes : 0, bytes};
}

buffer one_round::theirs() const noexcept {
  return what_ == task::reduce ? buffer::input : contribution().of;
}

/// What a member has for this rank.
piece one_round::part_of(int member) const noexcept {
  const std::uint64_t at = has_parts(what_) ? static_cast<std::uint64_t>(of_.rank) * of_.bytes : 0;
  if (member == of_.rank) {
    if (combines() && of_.in_place) {
      return {from_ == source::buffer ? buffer::scratch : buffer::shared, at, of_.bytes};
    }
    piece here = contribution();
    here.offset += at;
    here.bytes = of_.bytes;
    return here;
  }
  if (from_ == source::shared_scratch) return {buffer::shared, at, of_.bytes, member};
  if (what_ == task::all_gather && of_.in_place) {
    return {buffer::output, static_cast<std::uint64_t>(member) * of_.bytes, of_.bytes, member};
  }
  return {theirs(), at, of_.bytes, member};
}

piece one_round::result_of(int member) const noexcept {
  const bool by_member =
      what_ == task::gather || what_ == task::all_gather || what_ == task::all_to_all;
  const bool own_block = what_ == task::reduce_scatter && of_.in_place;
  const int block = by_member ? member : own_block ? of_.rank : 0;
  return {buffer::output, static_cast<std::uint64_t>(block) * of_.bytes, of_.bytes};
}

bool one_round::lay_out(schedule::step& out) {
  if (!lays_out()) return false;
  out.kind = step_kind::copy;
  out.left = contribution();
  out.into = {from_ == source::buffer ? buffer::scratch : buffer::shared, 0, out.left.bytes};
  return true;
}

/// The part of its own contribution that a rank has for itself.
bool one_round::keep(schedule::step& out) {
  const bool rooted = what_ == task::broadcast || what_ == task::scatter || what_ == task::gather;
  if (combines() || of_.in_place || (rooted && !is_root())) return false;
  out.kind = step_kind::copy;
  out.left = contribution();
  if (has_parts(what_)) out.left.offset = static_cast<std::uint64_t>(of_.rank) * of_.bytes;
  out.left.bytes = of_.bytes;
  out.into = result_of(of_.rank);
  return true;
}

bool one_round::look(schedule::step& out) {
  const int from = source_at(turn_);
  if (from == of_.rank) return false;
  out.kind = step_kind::await;
  out.peer = from;
  out.edge = is_there;
  out.value = 1;
  return true;
}

bool one_round::take(schedule::step& out) {
  const int from = source_at(turn_);
  out.into = result_of(from);
  if (!combines() || turn_ == 0) {
    if (from == of_.rank && of_.in_place) return false;  // it is there
    out.kind = step_kind::copy;
    out.left = part_of(from);
    return true;
  }
  out.kind = step_kind::reduce;
  out.left = out.into;
  out.right = part_of(from);
  return true;
}

bool one_round::act(schedule::step& out) {
  switch (phase_) {
    case phase::lay_out: phase_ = phase::announce; return lay_out(out);
    case phase::announce:
      phase_ = phase::keep;
      out.kind = step_kind::signal;
      out.edge = is_there;
      return readers() != 0;
    case phase::keep: phase_ = sources() == 0 ? phase::leave : phase::look; return keep(out);
    case phase::look: phase_ = phase::take; return look(out);
    case phase::take: phase_ = phase::tell; return take(out);
    case phase::tell: {
      const int from = source_at(turn_);
      phase_ = ++turn_ == sources() ? phase::leave : phase::look;
      out.kind = step_kind::signal;
      out.peer = from;
      out.edge = was_read;
      return from_ == source::buffer && from != of_.rank;
    }
    case phase::leave:
      phase_ = phase::end;
      out.kind = step_kind::await;
      out.edge = was_read;
      out.value = static_cast<std::uint64_t>(readers());
      out.round = 1;
      return from_ == source::buffer && readers() != 0;
    case phase::end: break;
  }
  return false;
}

void one_round::emit(phase of, schedule::step& out, schedule::tape& on) {
  switch (of) {
    case phase::lay_out:
      on.emit(out);
      if (overwrites()) before_take_ = on.latest();
      return;
    case phase::announce:
      if (lays_out()) {
        on.emit(out, on.latest());
      } else {
        on.emit(out);
      }
      return;
    case phase::take: {
      const bool looked = source_at(turn_) != of_.rank;
      on.emit(out, looked ? on.latest() : schedule::never, before_take_);
      if (combines() || overwrites()) before_take_ = on.latest();
      return;
    }
    case phase::tell: on.emit(out, on.latest()); return;
    default: on.emit(out); return;
  }
}

}  // namespace upwash::collective
