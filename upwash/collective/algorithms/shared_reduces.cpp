// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/shared_reduces.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/combined_segments.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

/// A segment of whole elements for each member; the last ones may be empty.
struct member_segments {
  std::uint64_t bytes;
  std::uint64_t each;

  member_segments(int ranks, std::uint64_t all, std::uint32_t element_bytes)
      : bytes(all), each(detail::combined_segment_bytes(all, ranks, element_bytes)) {}

  [[nodiscard]] piece at(buffer of, int member) const noexcept {
    const std::uint64_t first = std::min(static_cast<std::uint64_t>(member) * each, bytes);
    return {of, first, std::min(each, bytes - first)};
  }
};

piece of_member(int member, piece what) noexcept {
  what.owner = member;
  return what;
}

buffer contributions(bool in_place) noexcept { return in_place ? buffer::output : buffer::input; }

enum shared_counter : std::uint32_t { is_there, is_combined, shared_counters };

steps combine_in_shared(script& out, shared_segments_call of) {
  const member_segments segments(of.ranks, of.bytes, of.element_bytes);
  const bool alone = of.ranks == 1;
  const buffer source = contributions(of.in_place);
  mark combined = never;
  if (!alone) {
    const mark laid_out =
        co_yield out.copy(piece{source, 0, of.bytes}, piece{buffer::shared, 0, of.bytes});
    co_yield out.signal(is_there).after(laid_out);
    if (of.in_place) combined = laid_out;  // the result overwrites what it reads
  }
  const piece sum{buffer::shared, of.bytes, segments.at(buffer::shared, of.rank).bytes};
  for (int member = 0; member < of.ranks; ++member) {
    const bool is_own = member == of.rank;
    mark there = never;
    if (!is_own) there = co_yield out.await(is_there, 1).of_peer(member);
    piece theirs = of_member(member, segments.at(buffer::shared, of.rank));
    if (is_own) theirs = segments.at(source, of.rank);
    if (member == 0) {
      combined = co_yield out.copy(theirs, sum).after(there, combined);
    } else {
      combined = co_yield out.reduce(sum, theirs, sum).after(there, combined);
    }
  }
  if (!alone) co_yield out.signal(is_combined).after(combined);
  if (of.root != shared_segments_call::all && of.root != of.rank) co_return;
  mark there = combined;  // its own segment first, then the next rank's
  for (int turn = 0; turn < of.ranks; ++turn) {
    const int member = wrapped(std::int64_t{of.rank} + turn, of.ranks);
    if (turn != 0) there = co_yield out.await(is_combined, 1).of_peer(member).in_round(1);
    const piece segment = segments.at(buffer::output, member);
    const piece theirs{buffer::shared, of.bytes, segment.bytes, turn == 0 ? schedule::own : member};
    co_yield out.copy(theirs, segment).in_round(1).after(there);
  }
}

/// The first counts what a rank has done.
enum peer_counter : std::uint32_t { done, was_read, peer_counters };
enum progress : std::uint64_t { has_entered = 1, has_combined = 2 };

piece weighed(piece what, std::uint64_t by) noexcept {
  what.bytes *= by;
  return what;
}

/// Each step waits for the one before: a processor does one at a time anyway.
steps combine_of_peers(script& out, peer_segments_call of) {
  const member_segments segments(of.ranks, of.bytes, of.element_bytes);
  const piece own = segments.at(contributions(of.in_place), of.rank);
  const std::uint64_t room = std::min(of.piece_bytes, own.bytes);
  co_yield out.signal(done);
  for (std::uint64_t at = 0; at < own.bytes; at += of.piece_bytes) {
    const piece mine{own.of, own.offset + at, std::min(of.piece_bytes, own.bytes - at)};
    const piece sum{buffer::scratch, 0, mine.bytes};
    const piece fetched{buffer::scratch, room, mine.bytes};
    for (int member = 0; member < of.ranks; ++member) {
      const bool is_own = member == of.rank;
      if (!is_own && at == 0) {
        co_yield out.await(done, has_entered).of_peer(member).after(out.latest());
      }
      if (!is_own) {
        co_yield out
            .copy(weighed(of_member(member, mine), of.fetch_weight),
                  weighed(member == 0 ? sum : fetched, of.fetch_weight))
            .after(out.latest());
      }
      if (member == 0) continue;  // there is nothing to combine it with
      const bool is_last = member + 1 == of.ranks;
      const piece result{buffer::output, mine.offset, mine.bytes};
      co_yield out
          .reduce(member == 1 && of.rank == 0 ? mine : sum, is_own ? mine : fetched,
                  is_last ? result : sum)
          .after(out.latest());
    }
  }
  co_yield out.signal(done).after(out.latest());
  // The next rank's segment first, so that not all read the same.
  for (int turn = 1; turn < of.ranks; ++turn) {
    const int member = wrapped(std::int64_t{of.rank} + turn, of.ranks);
    co_yield out.await(done, has_combined).of_peer(member).in_round(1).after(out.latest());
    const piece theirs = segments.at(buffer::output, member);
    for (std::uint64_t at = 0; at < theirs.bytes; at += of.piece_bytes) {
      const piece taken =
          weighed({buffer::output, theirs.offset + at, std::min(of.piece_bytes, theirs.bytes - at)},
                  of.fetch_weight);
      co_yield out.copy(of_member(member, taken), taken).in_round(1).after(out.latest());
    }
    if (theirs.bytes != 0) {
      co_yield out.signal(was_read).to(member).in_round(1).after(out.latest());
    }
  }
  if (own.bytes != 0) {
    const auto readers = static_cast<std::uint64_t>(of.ranks - 1);
    co_yield out.await(was_read, readers).in_round(1).after(out.latest());
  }
}

steps keep(script& out, std::uint64_t bytes, bool in_place) {
  if (!in_place) co_yield out.copy(piece{buffer::input, 0, bytes}, piece{buffer::output, 0, bytes});
}

}  // namespace

std::uint64_t shared_segments_bytes(int ranks, std::uint64_t bytes,
                                    std::uint32_t element_bytes) noexcept {
  return bytes + member_segments(ranks, bytes, element_bytes).each;
}

generator shared_segments(const shared_segments_call& of) {
  // A segment is combined behind the look and the one combined before.
  return {{.window = 3,
           .shared_bytes = shared_segments_bytes(of.ranks, of.bytes, of.element_bytes),
           .counters = shared_counters,
           .busiest = of.root == shared_segments_call::all
                          ? detail::busiest_of_segments(of.bytes, of.ranks, of.element_bytes)
                          : -1},
          [=](script& out) { return combine_in_shared(out, of); }};
}

generator peer_segments(const peer_segments_call& of) {
  peer_segments_call rounded = of;
  rounded.piece_bytes =
      std::max<std::uint64_t>(of.piece_bytes - of.piece_bytes % of.element_bytes, of.element_bytes);
  const bool alone = of.ranks == 1;
  const member_segments segments(of.ranks, of.bytes, of.element_bytes);
  const std::uint64_t own = segments.at(buffer::output, of.rank).bytes;
  // Scratch: what is combined so far of a piece, and a peer's.
  return {{.window = 1,
           .scratch_bytes = alone ? 0 : 2 * std::min(rounded.piece_bytes, own),
           .counters = peer_counters,
           .exposes_input = !of.in_place,
           .exposes_output = true,
           .busiest = detail::busiest_of_segments(of.bytes, of.ranks, of.element_bytes)},
          [=](script& out) {
            return alone ? keep(out, of.bytes, of.in_place) : combine_of_peers(out, rounded);
          }};
}

}  // namespace upwash::collective
