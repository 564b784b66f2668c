// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/one_round.hpp"

#include "upwash/collective/algorithms/blocks.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;
using task = round_task;

namespace {

enum counter : std::uint32_t { is_there, was_read, counters };

/// A contribution has a part for each member.
bool has_parts(task what) noexcept {
  return what == task::scatter || what == task::all_to_all || what == task::reduce_scatter;
}

/// What a rank does for whom, and where it lies.
struct round_place {
  task what;
  round_source from;
  round_call of;

  [[nodiscard]] bool is_root() const noexcept { return of.rank == of.root; }
  [[nodiscard]] bool from_buffers() const noexcept { return from == round_source::buffer; }
  [[nodiscard]] bool combines() const noexcept { return what >= task::reduce; }
  /// The result lies where contributions did.
  [[nodiscard]] bool overwrites() const noexcept {
    return of.in_place && (combines() || what == task::all_to_all);
  }
  /// Also what this rank's own result would overwrite before it is combined.
  [[nodiscard]] bool lays_out() const noexcept {
    const bool kept_apart = combines() && of.in_place && of.rank != 0;
    return kept_apart || (!from_buffers() && readers() != 0);
  }
  [[nodiscard]] buffer laid_out() const noexcept {
    return from_buffers() ? buffer::scratch : buffer::shared;
  }
  /// It copies the part of its own contribution that it has for itself.
  [[nodiscard]] bool keeps() const noexcept {
    const bool rooted = what == task::broadcast || what == task::scatter || what == task::gather;
    return !combines() && !of.in_place && (!rooted || is_root());
  }

  /// The members that read what this rank lays out.
  [[nodiscard]] int readers() const noexcept;
  /// The members, perhaps with this one, whose contributions this rank takes.
  [[nodiscard]] int sources() const noexcept;
  [[nodiscard]] int source_at(int turn) const noexcept;
  /// needs::busiest: one that takes another's contribution first, for which it waits. Where those
  /// count more than its own, the machine says whether that is copied or combined faster.
  [[nodiscard]] int busiest() const noexcept {
    const bool all_combine = what == task::all_reduce || what == task::reduce_scatter;
    return all_combine && of.ranks > 1 && of.read_weight == 1 ? 1 : -1;
  }

  [[nodiscard]] piece contribution() const noexcept;
  /// The buffer that has the others' contributions.
  [[nodiscard]] buffer theirs() const noexcept {
    return what == task::reduce ? buffer::input : contribution().of;
  }
  /// What a member has for this rank.
  [[nodiscard]] piece part_of(int member) const noexcept;
  [[nodiscard]] piece own_part() const noexcept;
  [[nodiscard]] piece result_of(int member) const noexcept;
  [[nodiscard]] std::uint64_t offset_in_parts() const noexcept {
    return has_parts(what) ? static_cast<std::uint64_t>(of.rank) * of.bytes : 0;
  }
};

int round_place::readers() const noexcept {
  switch (what) {
    case task::broadcast:
    case task::scatter: return is_root() ? of.ranks - 1 : 0;
    case task::gather:
    case task::reduce: return is_root() ? 0 : 1;
    case task::scan:
    case task::exclusive_scan: return of.ranks - 1 - of.rank;
    default: return of.ranks - 1;
  }
}

int round_place::sources() const noexcept {
  switch (what) {
    case task::broadcast:
    case task::scatter: return is_root() ? 0 : 1;
    case task::gather: return is_root() ? of.ranks - 1 : 0;
    case task::reduce: return is_root() ? of.ranks : 0;
    case task::all_gather:
    case task::all_to_all: return of.ranks - 1;
    case task::scan: return of.rank + 1;
    case task::exclusive_scan: return of.rank;
    default: return of.ranks;
  }
}

/// Operands in the order of ranks; else the next rank's first, so that not all read the same.
int round_place::source_at(int turn) const noexcept {
  if (combines()) return turn;
  if (what == task::broadcast || what == task::scatter) return of.root;
  return wrapped(std::int64_t{of.rank} + 1 + turn, of.ranks);
}

piece round_place::contribution() const noexcept {
  const std::uint64_t bytes = contributed_bytes(what, of.ranks, of.bytes);
  if (!of.in_place) return {buffer::input, 0, bytes};
  const bool at_place = what == task::all_gather;
  return {buffer::output, at_place ? static_cast<std::uint64_t>(of.rank) * bytes : 0, bytes};
}

piece round_place::own_part() const noexcept {
  if (combines() && of.in_place) return {laid_out(), offset_in_parts(), of.bytes};
  const piece all = contribution();
  return {all.of, all.offset + offset_in_parts(), of.bytes};
}

piece round_place::part_of(int member) const noexcept {
  if (member == of.rank) return own_part();
  if (!from_buffers()) return {buffer::shared, offset_in_parts(), of.bytes, member};
  if (what == task::all_gather && of.in_place) {
    return {buffer::output, static_cast<std::uint64_t>(member) * of.bytes, of.bytes, member};
  }
  return {theirs(), offset_in_parts(), of.bytes, member};
}

piece round_place::result_of(int member) const noexcept {
  const bool by_member =
      what == task::gather || what == task::all_gather || what == task::all_to_all;
  const bool own_block = what == task::reduce_scatter && of.in_place;
  const int block = by_member ? member : own_block ? of.rank : 0;
  return {buffer::output, static_cast<std::uint64_t>(block) * of.bytes, of.bytes};
}

// Pieces stay out of the frame.

schedule::local_step lay_out(script& out, const round_place& here) {
  const piece all = here.contribution();
  return out.copy(all, piece{here.laid_out(), 0, all.bytes});
}

schedule::local_step keep(script& out, const round_place& here) {
  return out.copy(here.own_part(), here.result_of(here.of.rank));
}

schedule::local_step take(script& out, const round_place& here, int from, bool is_first) {
  piece part = here.part_of(from);
  piece into = here.result_of(from);
  if (from != here.of.rank) {
    part.bytes *= here.of.read_weight;
    into.bytes *= here.of.read_weight;
  }
  return is_first || !here.combines() ? out.copy(part, into) : out.reduce(into, part, into);
}

steps one_round(script& out, round_place here) {
  mark laid_out = never;
  if (here.lays_out()) laid_out = co_yield lay_out(out, here);
  if (here.readers() != 0) co_yield out.signal(is_there).after(laid_out);
  if (here.keeps()) co_yield keep(out, here);
  // What a take must come behind, as it combines with it or overwrites what it reads.
  mark before = here.overwrites() ? laid_out : never;
  for (int turn = 0; turn < here.sources(); ++turn) {
    const int from = here.source_at(turn);
    const bool is_own = from == here.of.rank;
    const bool is_first = turn == 0;
    mark there = never;
    if (!is_own) there = co_yield out.await(is_there, 1).of_peer(from);
    if (is_own && here.of.in_place && is_first) continue;  // it is where it belongs
    const mark taken = co_yield take(out, here, from, is_first).after(there, before);
    if (here.combines() || here.overwrites()) before = taken;
    if (here.from_buffers() && !is_own) co_yield out.signal(was_read).to(from).after(taken);
  }
  if (here.from_buffers() && here.readers() != 0) {
    const auto readers = static_cast<std::uint64_t>(here.readers());
    co_yield out.await(was_read, readers).in_round(1);
  }
}

}  // namespace

std::uint64_t contributed_bytes(task what, int ranks, std::uint64_t bytes) {
  return has_parts(what) ? bytes * static_cast<std::uint64_t>(ranks) : bytes;
}

generator one_round(task what, round_source from, const round_call& of) {
  const round_place here{what, from, of};
  const bool buffers = here.from_buffers();
  // A take waits for the look before it and the take before that, or for what was laid out.
  return {{.window = 3,
           .scratch_bytes = buffers && here.lays_out() ? of.bytes : 0,
           .shared_bytes = buffers ? 0 : contributed_bytes(what, of.ranks, of.bytes),
           .counters = buffers ? std::uint32_t{counters} : 1U,
           .announces = !buffers,
           .exposes_input = buffers && here.theirs() == buffer::input,
           .exposes_output = buffers && here.theirs() == buffer::output,
           .alike = what == task::all_gather || what == task::all_to_all,
           .busiest = here.busiest()},
          [=](script& out) { return one_round(out, here); }};
}

}  // namespace upwash::collective
