// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/shared_pieces.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/combined_segments.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::piece;
using schedule::script;
using schedule::steps;
using task = round_task;

namespace {

constexpr std::uint64_t slots = 2;   ///< of a member: one is read while the other is laid out
constexpr std::uint64_t places = 4;  ///< of a member among pairs

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

bool is_rooted(task what) noexcept {
  return what == task::broadcast || what == task::gather || what == task::reduce;
}

bool combines(task what) noexcept { return what >= task::reduce; }

/// A vector or block, and the pieces of it.
struct cut {
  std::uint64_t bytes;
  std::uint64_t each;

  explicit cut(const pieces_call& call) noexcept : bytes(call.of.bytes), each(call.piece_bytes) {}

  [[nodiscard]] std::uint64_t pieces() const noexcept { return (bytes + each - 1) / each; }
  [[nodiscard]] piece at(buffer of, std::uint64_t number, int block = 0) const noexcept {
    const std::uint64_t begin = number * each;
    return {of, wide(block) * bytes + begin, std::min(each, bytes - begin)};
  }
};

/// What a member does of which piece.
struct pieces_place {
  task what;
  pieces_call call;
  cut all;

  pieces_place(task of, const pieces_call& asked) noexcept : what(of), call(asked), all(asked) {}

  [[nodiscard]] int ranks() const noexcept { return call.of.ranks; }
  [[nodiscard]] int rank() const noexcept { return call.of.rank; }
  [[nodiscard]] bool is_root() const noexcept { return rank() == call.of.root; }

  [[nodiscard]] std::uint64_t turns() const noexcept {
    return all.bytes == 0 ? 0 : all.pieces() + (combines(what) ? 2 : 1);
  }
  [[nodiscard]] bool lays_out() const noexcept {
    if (what == task::broadcast) return is_root();
    return what != task::gather || !is_root();
  }
  [[nodiscard]] bool takes_from(int member) const noexcept {
    if (what == task::broadcast) return !is_root() && member == call.of.root;
    if (what == task::gather && !is_root()) return false;
    return member != rank();
  }
  /// Members that take from each other.
  [[nodiscard]] bool meets(int member) const noexcept {
    if (member == rank()) return false;
    return !is_rooted(what) || combines(what) || is_root() || member == call.of.root;
  }
  /// It takes what all have combined.
  [[nodiscard]] bool takes_sums() const noexcept {
    return combines(what) && (!is_rooted(what) || is_root());
  }
  /// It copies what it has for itself.
  [[nodiscard]] bool keeps() const noexcept {
    return !combines(what) && !call.of.in_place && (!is_rooted(what) || is_root());
  }
  /// needs::busiest, by the first piece.
  [[nodiscard]] int busiest() const noexcept {
    if (what != task::all_reduce) return -1;
    return detail::busiest_of_segments(std::min(all.each, all.bytes), ranks(), call.element_bytes);
  }
  /// The next rank first, so that not all read the same.
  [[nodiscard]] int member_at(int turn) const noexcept {
    return wrapped(std::int64_t{rank()} + 1 + turn, ranks());
  }

  // Where a piece lies.
  [[nodiscard]] std::uint64_t slot_bytes() const noexcept {
    const auto sums = detail::combined_segment_bytes(all.each, ranks(), call.element_bytes);
    return all.each + (combines(what) ? sums : 0);
  }
  [[nodiscard]] piece laid(std::uint64_t number, int member) const noexcept {
    return {buffer::shared, number % slots * slot_bytes(), all.at(buffer::shared, number).bytes,
            member == rank() ? schedule::own : member};
  }
  [[nodiscard]] piece given(std::uint64_t number) const noexcept {
    if (!call.of.in_place) return all.at(buffer::input, number);
    return all.at(buffer::output, number, what == task::all_gather ? rank() : 0);
  }
  [[nodiscard]] piece result(std::uint64_t number, int member) const noexcept {
    const bool by_member = what == task::gather || what == task::all_gather;
    return all.at(buffer::output, number, by_member ? member : 0);
  }
  /// The segment of a piece that a member combines.
  [[nodiscard]] piece segment(piece whole, int member) const noexcept {
    const std::uint64_t each =
        detail::combined_segment_bytes(whole.bytes, ranks(), call.element_bytes);
    const std::uint64_t first = std::min(wide(member) * each, whole.bytes);
    return {whole.of, whole.offset + first, std::min(each, whole.bytes - first), whole.owner};
  }
  [[nodiscard]] piece sum(std::uint64_t number, int member) const noexcept {
    const piece slot = laid(number, member);
    return {slot.of, slot.offset + all.each, segment(slot, member).bytes, slot.owner};
  }
};

// Pieces stay out of the frame.

schedule::local_step lay(script& out, const pieces_place& here, std::uint64_t number) {
  return out.copy(here.given(number), here.laid(number, here.rank()));
}

schedule::local_step keep(script& out, const pieces_place& here, std::uint64_t number) {
  return out.copy(here.given(number), here.result(number, here.rank()));
}

schedule::local_step take(script& out, const pieces_place& here, std::uint64_t number, int from) {
  return out.copy(here.laid(number, from), here.result(number, from));
}

schedule::local_step combine(script& out, const pieces_place& here, std::uint64_t number,
                             int member) {
  const piece operand = here.segment(here.laid(number, member), here.rank());
  const piece sum = here.sum(number, here.rank());
  return member == 0 ? out.copy(operand, sum) : out.reduce(sum, operand, sum);
}

schedule::local_step take_sum(script& out, const pieces_place& here, std::uint64_t number,
                              int member) {
  return out.copy(here.sum(number, member), here.segment(here.result(number, member), member));
}

steps keep_all(script& out, std::uint64_t bytes, bool in_place) {
  if (!in_place) co_yield out.copy(piece{buffer::input, 0, bytes}, piece{buffer::output, 0, bytes});
}

/// Each step waits for the one before: a processor does one at a time anyway.
steps in_pieces(script& out, pieces_place here) {
  const std::uint64_t pieces = here.all.pieces();
  const std::uint64_t turns = here.turns();
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const auto round = static_cast<std::uint32_t>(turn);
    const bool combines_now = combines(here.what) && turn != 0 && turn <= pieces;
    for (int i = 0; turn != 0 && i < here.ranks(); ++i) {
      const int member = here.member_at(i);
      if (here.meets(member)) {
        co_yield out.await(0, turn).of_peer(member).in_round(round).after(out.latest());
      }
      if (combines(here.what) || turn > pieces || !here.takes_from(member)) continue;
      co_yield take(out, here, turn - 1, member).in_round(round).after(out.latest());
    }
    // Behind all waits: others may still be reading the sum that was there.
    for (int member = 0; combines_now && member < here.ranks(); ++member) {
      co_yield combine(out, here, turn - 1, member).in_round(round).after(out.latest());
    }
    for (int i = 0; here.takes_sums() && turn > 1 && i < here.ranks(); ++i) {
      const int member = wrapped(std::int64_t{here.rank()} + i, here.ranks());
      co_yield take_sum(out, here, turn - 2, member).in_round(round).after(out.latest());
    }
    if (turn < pieces) {
      if (here.lays_out()) co_yield lay(out, here, turn).in_round(round).after(out.latest());
      if (here.keeps()) co_yield keep(out, here, turn).in_round(round).after(out.latest());
    }
    if (turn + 1 < turns) co_yield out.signal(0).in_round(round).after(out.latest());
  }
}

// -- Pairs --------------------------------------------------------------------------------------

enum pair_counter : std::uint32_t { was_laid, was_taken };

/// Turns, each of a piece of the block for one partner. Numbers are the same at all ranks.
struct pairing {
  round_call of;
  cut block;

  explicit pairing(const pieces_call& call) noexcept : of(call.of), block(call) {}

  [[nodiscard]] std::uint64_t turns() const noexcept { return wide(of.ranks) * block.pieces(); }
  /// It may be this rank itself.
  [[nodiscard]] int partner(std::uint64_t turn) const noexcept {
    return wrapped(static_cast<std::int64_t>(turn / block.pieces()) - of.rank, of.ranks);
  }
  [[nodiscard]] piece at(buffer where, std::uint64_t turn) const noexcept {
    return block.at(where, turn % block.pieces(), partner(turn));
  }
  [[nodiscard]] piece laid(std::uint64_t turn, int owner) const noexcept {
    return {buffer::shared, turn % places * block.each, at(buffer::shared, turn).bytes, owner};
  }
};

schedule::local_step lay(script& out, const pairing& here, std::uint64_t turn) {
  const piece mine = here.at(here.of.in_place ? buffer::output : buffer::input, turn);
  const bool keeps = here.partner(turn) == here.of.rank;
  return out.copy(mine, keeps ? here.at(buffer::output, turn) : here.laid(turn, schedule::own));
}

schedule::local_step take(script& out, const pairing& here, std::uint64_t turn) {
  return out.copy(here.laid(turn, here.partner(turn)), here.at(buffer::output, turn));
}

/// Each step waits for the one before; takes stay some turns behind.
steps in_pairs(script& out, pairing here) {
  const std::uint64_t turns = here.turns();
  const int self = here.of.rank;
  for (std::uint64_t turn = 0; turn < turns + places - 1; ++turn) {
    const auto round = static_cast<std::uint32_t>(turn);
    if (turn < turns) {
      const bool is_used = turn >= places && here.partner(turn - places) != self;
      if (is_used) {
        co_yield out.await(was_taken, turn - places + 1)
            .of_peer(here.partner(turn - places))
            .in_round(round)
            .after(out.latest());
      }
      if (here.partner(turn) != self || !here.of.in_place) {
        co_yield lay(out, here, turn).in_round(round).after(out.latest());
      }
      co_yield out.signal(was_laid).in_round(round).after(out.latest());
    }
    if (turn + 1 < places) continue;
    const std::uint64_t taken = turn + 1 - places;
    if (here.partner(taken) != self) {
      co_yield out.await(was_laid, taken + 1)
          .of_peer(here.partner(taken))
          .in_round(round)
          .after(out.latest());
      co_yield take(out, here, taken).in_round(round).after(out.latest());
    }
    if (taken + places < turns) {
      co_yield out.signal(was_taken).in_round(round).after(out.latest());
    }
  }
}

}  // namespace

std::uint64_t largest_piece(task what, int ranks, std::uint32_t element_bytes,
                            std::uint64_t scratch_bytes) noexcept {
  if (what == task::all_to_all) return scratch_bytes / places / element_bytes * element_bytes;
  const std::uint64_t room = scratch_bytes / slots / element_bytes;
  return (combines(what) ? room * wide(ranks) / (wide(ranks) + 1) : room) * element_bytes;
}

generator shared_pieces(task what, const pieces_call& call) {
  const pieces_place here(what, call);
  return {{.window = 1,
           .shared_bytes = slots * here.slot_bytes(),
           .counters = 1,
           .alike = what == task::all_gather,
           .busiest = here.busiest()},
          [=](script& out) {
            return here.ranks() == 1 ? keep_all(out, call.of.bytes, call.of.in_place)
                                     : in_pieces(out, here);
          }};
}

generator shared_pairs(const pieces_call& call) {
  const pairing here(call);
  return {{.window = 1, .shared_bytes = places * here.block.each, .counters = 2},
          [=](script& out) { return in_pairs(out, here); }};
}

}  // namespace upwash::collective
