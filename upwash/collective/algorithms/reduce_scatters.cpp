// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/reduce_scatters.hpp"

#include "upwash/collective/algorithms/detail/folded_cube.hpp"

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
  if (rank + 1 < members) {
    const auto last = static_cast<std::uint32_t>(members - 2);
    co_yield out.reduce(below, above, result).in_round(last).after(below_done, above_done);
  } else if (members == 1) {
    co_yield out.copy(below, result);
  }
}

/// What a cube still works on, and where.
struct halving {
  detail::folded_cube cube;
  int ranks;
  std::uint64_t bytes;  ///< of a block

  [[nodiscard]] std::uint64_t all_bytes() const noexcept {
    return static_cast<std::uint64_t>(ranks) * bytes;
  }
  /// Of a message in scratch: one arrives while another is combined.
  [[nodiscard]] std::uint64_t room() const noexcept {
    return cube.folded() == 0 ? static_cast<std::uint64_t>(ranks / 2) * bytes : all_bytes();
  }
  [[nodiscard]] piece incoming(std::uint32_t round, std::uint64_t length) const noexcept {
    return {buffer::scratch, all_bytes() + round % 2 * room(), length};
  }
  /// Blocks that a vertex still works on before a stage.
  [[nodiscard]] piece left_to(int vertex, int stage, buffer of) const noexcept {
    const int free_bits = cube.dimensions() - stage;
    const int least = vertex >> free_bits << free_bits;
    const auto first = static_cast<std::uint64_t>(cube.rank_of(least));
    const auto behind = static_cast<std::uint64_t>(cube.rank_of(least + (1 << free_bits)));
    return {of, first * bytes, (behind - first) * bytes};
  }
};

steps halve_beside(script& out, halving of, int rank) {
  const auto last = static_cast<std::uint32_t>(1 + of.cube.dimensions());
  co_yield out.send(rank - 1, 0, {buffer::input, 0, of.all_bytes()});
  co_yield out.receive(rank - 1, last, {buffer::output, 0, of.bytes}).placed();
}

steps halve(script& out, halving of, int rank) {
  const int vertex = of.cube.vertex_of(rank);
  const bool has_folded = of.cube.has_folded(vertex);
  const piece result{buffer::output, 0, of.bytes};
  buffer held = buffer::input;
  mark value = never;
  mark free[2] = {never, never};  // scratch, by parity
  std::uint32_t round = 0;
  if (has_folded) {
    const piece all = of.left_to(vertex, 0, buffer::input);
    const piece coming = of.incoming(round, all.bytes);
    const mark came = co_yield out.receive(rank + 1, round, coming);
    held = buffer::scratch;
    value = free[0] = co_yield out.reduce(all, coming, of.left_to(vertex, 0, held)).after(came);
  }
  if (of.cube.folded() != 0) ++round;
  for (int stage = 0; stage < of.cube.dimensions(); ++stage, ++round) {
    const int partner = vertex ^ (1 << (of.cube.dimensions() - 1 - stage));
    const int peer = of.cube.rank_of(partner);
    co_yield out.send(peer, round, of.left_to(partner, stage + 1, held)).after(value);
    const piece kept = of.left_to(vertex, stage + 1, held);
    const piece coming = of.incoming(round, kept.bytes);
    const mark came = co_yield out.receive(peer, round, coming).after(free[round % 2]);
    held = buffer::scratch;
    const bool last = stage + 1 == of.cube.dimensions() && !has_folded;
    const piece into = last ? result : of.left_to(vertex, stage + 1, held);
    value = free[round % 2] =
        co_yield out.reduce(kept, coming, into).in_round(round).after(came, value);
  }
  if (!has_folded) co_return;
  const auto block_of = [&](int owner) {
    return piece{buffer::scratch, static_cast<std::uint64_t>(owner) * of.bytes, of.bytes};
  };
  co_yield out.send(rank + 1, round, block_of(rank + 1))
      .placed(result.of_rank(rank + 1))
      .after(value);
  co_yield out.copy(block_of(rank), result).in_round(round).after(value);
}

steps keep(script& out, std::uint64_t bytes) {
  co_yield out.copy({buffer::input, 0, bytes}, {buffer::output, 0, bytes});
}

}  // namespace

generator ring_reduce_scatter(const blocks& data, int rank) {
  return {{.window = 5,
           .scratch_bytes = 2 * data.alike_bytes(),
           .edges_apart = true,
           .alike = !data.given(),
           .given = data.given()},
          [=](script& out) { return ring(out, data, rank); }};
}

generator pairwise_reduce_scatter(const blocks& data, int rank) {
  // Steps wait for one of the last few; the rest is room for messages to overlap.
  return {{.window = 24,
           .scratch_bytes = 3 * data.alike_bytes(),
           .edges_apart = true,
           .given = data.given()},
          [=](script& out) { return pairwise(out, data, rank); }};
}

generator halving_reduce_scatter(int ranks, int rank, std::uint64_t bytes) {
  const halving of{detail::folded_cube(ranks), ranks, bytes};
  // Scratch: what is combined, and two messages.
  return {{.window = 8,
           .scratch_bytes = ranks == 1 ? 0 : of.all_bytes() + 2 * of.room(),
           .edges_apart = true,
           .alike = of.cube.folded() == 0},
          [=](script& out) {
            if (of.ranks == 1) return keep(out, of.bytes);
            return of.cube.is_folded(rank) ? halve_beside(out, of, rank) : halve(out, of, rank);
          }};
}

}  // namespace upwash::collective
