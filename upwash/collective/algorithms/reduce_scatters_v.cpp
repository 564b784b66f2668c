// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/reduce_scatters_v.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::rounds;
using schedule::script;
using schedule::steps;

namespace {

/// In turn t block rank - t - 1 goes on, and block rank - t - 2 comes and is combined.
steps ring(script& out, blocks data, int rank) {
  const int members = data.members();
  const piece result{buffer::output, 0, data.bytes(out, rank)};
  if (members == 1) {
    co_yield out.copy(data.at(out, buffer::input, 0), result);
    co_return;
  }
  const int ahead = wrapped(std::int64_t{rank} + 1, members);
  const int behind = wrapped(std::int64_t{rank} - 1, members);
  const std::uint64_t room = data.largest(out);
  if (data.given()) co_yield out.grow(2 * room);
  const auto slot = [room](std::uint64_t turn, std::uint64_t bytes) {
    return piece{buffer::scratch, turn % 2 * room, bytes};
  };
  mark reduced = never;
  mark sent_before = never;
  rounds turns(out, static_cast<std::uint64_t>(members - 1), 2);
  while (co_await turns.next()) {
    const std::uint64_t turn = turns.now();
    const auto edge = static_cast<std::uint32_t>(turn);
    const auto block = std::int64_t{rank} - static_cast<std::int64_t>(turn) - 1;
    piece going = data.at(out, buffer::input, wrapped(block, members));
    if (turn != 0) going = slot(turn - 1, going.bytes);
    const mark sent = co_yield out.send(ahead, edge, going).after(reduced);
    const piece own = data.at(out, buffer::input, wrapped(block - 1, members));
    const piece coming = slot(turn, own.bytes);
    // What was there went on in the round before.
    const mark came =
        co_yield out.receive(behind, edge, coming).after(turn < 2 ? never : sent_before);
    const bool is_last = turn + 2 == static_cast<std::uint64_t>(members);
    reduced =
        co_yield out.reduce(coming, own, is_last ? result : coming).in_round(edge).after(came);
    sent_before = sent;
  }
}

steps pairwise(script& out, blocks data, int rank) {
  const int members = data.members();
  const piece own = data.at(out, buffer::input, rank);
  const piece result{buffer::output, 0, own.bytes};
  if (data.given()) co_yield out.grow(3 * own.bytes);
  piece below = own;  // with what came from the ranks below
  mark below_done = never;
  const piece above{buffer::scratch, 2 * own.bytes, own.bytes};
  mark above_done = never;
  mark free[2] = {never, never};  // slots, by parity
  for (int turn = 0; turn + 1 < members; ++turn) {
    const auto edge = static_cast<std::uint32_t>(turn);
    const int to = wrapped(std::int64_t{rank} + turn + 1, members);
    const int from = wrapped(std::int64_t{rank} - turn - 1, members);
    co_yield out.send(to, edge, data.at(out, buffer::input, to));
    if (turn == rank) {  // the first from above is what those that follow are combined with
      above_done = co_yield out.receive(from, edge, above);
      continue;
    }
    const piece slot{buffer::scratch, static_cast<std::uint64_t>(turn % 2) * own.bytes, own.bytes};
    const mark came = co_yield out.receive(from, edge, slot).after(free[turn % 2]);
    if (turn < rank) {
      below_done = co_yield out.reduce(slot, below, result).in_round(edge).after(came, below_done);
      free[turn % 2] = below_done;
      below = result;
    } else {
      above_done = co_yield out.reduce(slot, above, above).in_round(edge).after(came, above_done);
      free[turn % 2] = above_done;
      below_done = never;  // the last of those below had a slot before one of those above
    }
  }
  const auto last = static_cast<std::uint32_t>(members);
  if (rank + 1 < members) {
    co_yield out.reduce(below, above, result).in_round(last).after(below_done, above_done);
  } else if (members == 1) {
    co_yield out.copy(below, result);
  }
}

}  // namespace

generator ring_reduce_scatter_v(const blocks& data, int rank) {
  return {{.window = 5,
           .scratch_bytes = 2 * data.alike_bytes(),
           .edges_apart = true,
           .alike = !data.given(),
           .given = data.given()},
          [=](script& out) { return ring(out, data, rank); }};
}

generator pairwise_reduce_scatter_v(const blocks& data, int rank) {
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  return {{.window = 24,
           .scratch_bytes = 3 * data.alike_bytes(),
           .edges_apart = true,
           .given = data.given()},
          [=](script& out) { return pairwise(out, data, rank); }};
}

}  // namespace upwash::collective
