// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/mesh_all_gather.hpp"

#include "upwash/collective/algorithms/detail/latest_marks.hpp"
#include "upwash/collective/algorithms/detail/mesh_turn.hpp"

namespace upwash::collective {

using detail::mesh_turn;
using schedule::buffer;
using schedule::generator;
using schedule::local_step;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

/// Of sends that are open; the first ones wait for their message to be complete.
using open_sends = detail::latest_marks<8>;

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

piece own_block(int rank, std::uint64_t bytes, bool in_place) noexcept {
  if (!in_place) return {buffer::input, 0, bytes};
  return {buffer::output, wide(rank) * bytes, bytes};
}

/// Before a phase a rank of a full grid holds the blocks of all that differ from it in the
/// coordinates before; they follow each other.
piece held(const mesh_turn& turn, int rank, std::uint64_t bytes) noexcept {
  int count = 1;
  for (int d = 0; d < turn.phase(); ++d) count *= turn.on().size(d);
  return {buffer::output, wide(rank / count * count) * bytes, wide(count) * bytes};
}

steps over_full_grid(script& out, mesh_turn turn, std::uint64_t bytes, bool in_place) {
  const int rank = turn.rank();
  open_sends sent;
  for (;; turn.next_phase()) {
    const auto round = static_cast<std::uint32_t>(turn.phase());
    const piece going = held(turn, rank, bytes);
    if (round != 0) {
      // Nothing is to be copied, but all has to be there.
      constexpr piece nothing{buffer::output};
      sent.fill(co_yield out.copy(nothing, nothing).in_round(round).after_all());
    } else if (!in_place) {
      sent.fill(co_yield out.copy(own_block(rank, bytes, false), going));
    }
    while (turn.next_turn()) {
      const int to = turn.peer();
      sent.add(co_yield out.send(to, turn.edge(), going)
                   .placed(going.of_rank(to))
                   .in_round(round)
                   .after(sent.oldest()));
      const int from = turn.sender(turn.arrival(false));
      co_yield out.receive(from, turn.edge(), held(turn, from, bytes)).placed().in_round(round);
    }
    if (turn.in_last_phase()) co_return;
  }
}

/// Scratch: the bundles of each phase, the rank's own among them.
struct bundles {
  std::uint64_t at = 0;
  std::uint64_t room = 0;  ///< of each

  [[nodiscard]] piece of(int sender, std::uint64_t length) const noexcept {
    return {buffer::scratch, at + wide(sender) * room, length};
  }
};

bundles bundles_of(const mesh_turn& turn, std::uint64_t at, std::uint64_t bytes) noexcept {
  return {at, detail::most_sources(turn.on(), turn.phase()) * bytes};
}

steps over_grid_with_holes(script& out, mesh_turn turn, std::uint64_t bytes, bool in_place) {
  const model::grid& grid = turn.on();
  const auto bytes_of = [&](int phase, int holder) {
    return wide(detail::sources(grid, phase, holder)) * bytes;
  };
  open_sends sent;
  mark complete = never;
  bundles before;
  bundles here = bundles_of(turn, 0, bytes);
  for (;;) {
    const int phase = turn.phase();
    const auto round = static_cast<std::uint32_t>(phase);
    // The bundles of the phase before, one behind the other, are the rank's own of this one. The
    // first copy waits for all that the phase before did.
    piece own = here.of(turn.own_coordinate(), 0);
    const int parts = phase == 0 ? 1 : grid.senders(turn.rank(), phase - 1);
    for (int i = 0; i < parts; ++i) {
      piece from = own_block(turn.rank(), bytes, in_place);
      if (phase != 0) {
        from = before.of(i, bytes_of(phase - 1, grid.sender(turn.rank(), phase - 1, i)));
      }
      const piece into{buffer::scratch, own.end(), from.bytes};
      const local_step step = out.copy(from, into).in_round(round);
      const local_step combined = i == 0 && phase != 0 ? step.after_all() : step.after(complete);
      complete = co_yield combined;
      own.bytes += from.bytes;
    }
    sent.fill(complete);
    while (turn.next_turn()) {
      if (const int to = turn.peer(); to >= 0) {
        sent.add(co_yield out.send(to, turn.edge(), own).in_round(round).after(sent.oldest()));
      }
      for (const bool for_hole : {false, true}) {
        const int index = turn.arrival(for_hole);
        if (index < 0) continue;
        const int from = turn.sender(index);
        co_yield out.receive(from, turn.edge(), here.of(index, bytes_of(phase, from)))
            .in_round(round);
      }
    }
    before = here;
    if (turn.in_last_phase()) break;
    const std::uint64_t next = here.at + wide(turn.senders()) * here.room;
    turn.next_phase();
    here = bundles_of(turn, next, bytes);
  }
  // What came in the last phase, and what was held before, to its places.
  const auto round = static_cast<std::uint32_t>(turn.phase());
  detail::source_walk from(grid, grid.dimensions(), turn.rank());
  bool first = true;
  do {
    piece block = before.of(from.bundle(), bytes);
    block.offset += wide(from.within()) * bytes;
    const piece place{buffer::output, wide(from.source()) * bytes, bytes};
    const local_step step = out.copy(block, place).in_round(round);
    const local_step to_place = first ? step.after_all() : step.after(complete);
    complete = co_yield to_place;
    first = false;
  } while (from.next(grid));
}

std::uint64_t scratch_of(mesh_turn turn, std::uint64_t bytes) noexcept {
  if (turn.on().full()) return 0;
  std::uint64_t blocks = 0;
  for (; turn.phase() < turn.on().dimensions(); turn.next_phase()) {
    blocks += wide(turn.senders()) * detail::most_sources(turn.on(), turn.phase());
  }
  return blocks * bytes;
}

}  // namespace

generator mesh_all_gather(int ranks, int rank, std::uint64_t bytes, int dimensions, bool in_place) {
  const mesh_turn turn(model::grid::near_cube(ranks, dimensions), rank);
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  return {{.window = 64, .scratch_bytes = scratch_of(turn, bytes), .alike = turn.on().full()},
          [=](script& out) {
            return turn.on().full() ? over_full_grid(out, turn, bytes, in_place)
                                    : over_grid_with_holes(out, turn, bytes, in_place);
          }};
}

}  // namespace upwash::collective
