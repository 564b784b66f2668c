// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/all_reduces.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/collective/algorithms/detail/even_blocks.hpp"
#include "upwash/collective/algorithms/detail/folded_cube.hpp"

namespace upwash::collective {

using detail::even_blocks;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::rounds;
using schedule::script;
using schedule::steps;

namespace {

/// So many turns from the one that block `b` goes in are alike: they go through the blocks
/// downwards, and the first ones may hold an element more.
std::uint64_t alike_from(const even_blocks& data, std::int64_t b) noexcept {
  const auto parts = static_cast<std::uint64_t>(data.members);
  const std::uint64_t longer = data.elements % parts;
  const auto which = static_cast<std::uint64_t>(wrapped(b, data.members));
  if (longer == 0) return parts;
  return which < longer ? which : which - longer;
}

steps ring(script& out, even_blocks data, int rank, bool in_place) {
  const piece all = data.at(buffer::output, 0, data.members);
  mark ready = never;  // the block to send next is complete
  if (!in_place) ready = co_yield out.copy({buffer::input, 0, all.bytes}, all);
  if (data.members == 1) co_return;
  const auto turns_of_half = static_cast<std::uint64_t>(data.members - 1);
  const int ahead = wrapped(std::int64_t{rank} + 1, data.members);
  const int behind = wrapped(std::int64_t{rank} - 1, data.members);
  const auto block = [&data](std::int64_t number) {
    return data.at(buffer::output, wrapped(number, data.members));
  };
  mark reduced = never;
  mark reduced_before = never;
  rounds turns(out, turns_of_half);
  while (co_await turns.next(alike_from(data, rank - turns.coming()))) {
    const auto turn = static_cast<std::int64_t>(turns.now());
    const auto edge = static_cast<std::uint32_t>(turn);
    const mark sent = co_yield out.send(ahead, edge, block(rank - turn)).after(ready);
    const piece own = block(rank - turn - 1);
    const piece coming{buffer::scratch, turns.now() % 2 * data.largest(), own.bytes};
    // What was there was read two turns ago.
    const mark came = co_yield out.receive(behind, edge, coming).after(reduced_before);
    // Behind its send too: so whoever is behind the last reduction is behind every send, and may
    // overwrite what they read.
    ready = co_yield out.reduce(coming, own, own).in_round(edge).after(came, sent);
    reduced_before = reduced;
    reduced = ready;
  }
  rounds ways_back(out, turns_of_half);
  while (co_await ways_back.next(alike_from(data, rank + 1 - ways_back.coming()))) {
    const auto turn = static_cast<std::int64_t>(ways_back.now());
    const auto edge = static_cast<std::uint32_t>(data.members - 1 + turn);
    co_yield out.send(ahead, edge, block(rank + 1 - turn)).after(ready);
    ready = co_yield out.receive(behind, edge, block(rank - turn)).after(ready);
  }
}

/// What vertices of a cube combine: whole vectors, or halves of halves.
struct cube_vectors {
  detail::folded_cube cube;
  std::uint64_t elements;
  std::uint64_t element_bytes;
  exchanges what;

  [[nodiscard]] piece all(buffer of) const noexcept { return {of, 0, elements * element_bytes}; }
  /// Of a message in scratch: one arrives while another is combined.
  [[nodiscard]] std::uint64_t room() const noexcept {
    if (what == exchanges::whole_vectors || cube.folded() != 0) return elements * element_bytes;
    return (elements - elements / 2) * element_bytes;
  }
  [[nodiscard]] piece incoming(std::uint32_t round, std::uint64_t bytes) const noexcept {
    return {buffer::scratch, round % 2 * room(), bytes};
  }
  [[nodiscard]] std::uint32_t rounds_between_folds() const noexcept {
    const auto stages = static_cast<std::uint32_t>(cube.dimensions());
    return what == exchanges::halves ? 2 * stages : stages;
  }
  /// What a vertex combines at a level: it halves from level to level, or stays.
  [[nodiscard]] piece share(int vertex, int level) const noexcept {
    if (what == exchanges::whole_vectors) return all(buffer::output);
    std::uint64_t first = 0;
    std::uint64_t count = elements;
    for (int l = 0; l < level; ++l) {
      const std::uint64_t upper = count / 2;
      const bool is_upper = ((vertex >> l) & 1) != 0;
      if (is_upper) first += count - upper;
      count = is_upper ? upper : count - upper;
    }
    return {buffer::output, first * element_bytes, count * element_bytes};
  }
};

steps beside_cube(script& out, cube_vectors of, int rank, bool in_place) {
  const std::uint32_t last = 1 + of.rounds_between_folds();
  const mark sent =
      co_yield out.send(rank - 1, 0, of.all(in_place ? buffer::output : buffer::input));
  const schedule::receive_step result = out.receive(rank - 1, last, of.all(buffer::output));
  if (in_place) {
    co_yield result.after(sent);  // it overwrites what is sent
  } else {
    co_yield result.placed();
  }
}

steps over_cube(script& out, cube_vectors of, int rank, bool in_place) {
  const int vertex = of.cube.vertex_of(rank);
  const bool has_folded = of.cube.has_folded(vertex);
  const piece all = of.all(buffer::output);
  mark value = never;             // what is combined so far is in the output
  mark free[2] = {never, never};  // scratch, by parity
  if (!in_place) value = co_yield out.copy(of.all(buffer::input), all);
  std::uint32_t round = 0;
  if (has_folded) {
    const piece coming = of.incoming(round, all.bytes);
    const mark came = co_yield out.receive(rank + 1, round, coming);
    value = free[0] = co_yield out.reduce(all, coming, all).after(came, value);
  }
  if (of.cube.folded() != 0) ++round;
  for (int level = 0; level < of.cube.dimensions(); ++level, ++round) {
    const int partner = vertex ^ (1 << level);
    const int peer = of.cube.rank_of(partner);
    const mark sent = co_yield out.send(peer, round, of.share(partner, level + 1)).after(value);
    const piece kept = of.share(vertex, level + 1);
    const piece coming = of.incoming(round, kept.bytes);
    const mark came = co_yield out.receive(peer, round, coming).after(free[round % 2]);
    const bool first = partner < vertex;
    // Behind its send: so whoever is behind the last reduction is behind every send.
    value = free[round % 2] =
        co_yield out.reduce(first ? coming : kept, first ? kept : coming, kept)
            .in_round(round)
            .after(came, sent);
  }
  for (int level = of.cube.dimensions(); of.what == exchanges::halves && level-- > 0; ++round) {
    const int partner = vertex ^ (1 << level);
    const int peer = of.cube.rank_of(partner);
    co_yield out.send(peer, round, of.share(vertex, level + 1)).after(value);
    value = co_yield out.receive(peer, round, of.share(partner, level + 1)).after(value);
  }
  if (!has_folded) co_return;
  const schedule::send_step back = out.send(rank + 1, round, all).after(value);
  if (in_place) {
    co_yield back;
  } else {
    co_yield back.placed(all.of_rank(rank + 1));
  }
}

steps disseminate(script& out, int ranks, int rank, std::uint64_t bytes, int radix, bool in_place) {
  const piece value{buffer::output, 0, bytes};
  const auto slot = [bytes](int digit) {
    return piece{buffer::scratch, static_cast<std::uint64_t>(digit - 1) * bytes, bytes};
  };
  mark ready = never;
  if (!in_place) ready = co_yield out.copy({buffer::input, 0, bytes}, value);
  for (detail::dissemination turn(ranks, rank, radix); !turn.ended();) {
    const std::uint32_t round = turn.round();
    co_yield out.send(turn.ahead(), turn.edge(), value).in_round(round).after(ready);
    // Slots were read before.
    co_yield out.receive(turn.behind(), turn.edge(), slot(turn.digit()))
        .in_round(round)
        .after(round == 0 ? never : ready);
    turn.next();
    if (!turn.begins_round()) continue;
    // All that came has come, and all sends have read the value.
    ready = co_yield out.reduce(slot(1), value, value).in_round(round).after_all();
    for (int digit = 2; digit < radix; ++digit) {
      ready = co_yield out.reduce(slot(digit), value, value).in_round(round).after(ready);
    }
  }
}

}  // namespace

generator ring_all_reduce(int ranks, int rank, std::uint64_t elements, std::uint64_t element_bytes,
                          bool in_place) {
  const even_blocks data{ranks, elements, element_bytes};
  // Scratch: one block arrives while another is combined. Alike but for blocks that are an element
  // longer than others.
  return {{.window = 5, .scratch_bytes = 2 * data.largest(), .edges_apart = true, .alike = true},
          [=](script& out) { return ring(out, data, rank, in_place); }};
}

generator cube_all_reduce(int ranks, int rank, std::uint64_t elements, std::uint64_t element_bytes,
                          exchanges what, bool in_place) {
  const cube_vectors of{detail::folded_cube(ranks), elements, element_bytes, what};
  return {{.window = 8,
           .scratch_bytes = 2 * of.room(),
           .edges_apart = true,
           .alike = of.cube.folded() == 0},
          [=](script& out) {
            return of.cube.is_folded(rank) ? beside_cube(out, of, rank, in_place)
                                           : over_cube(out, of, rank, in_place);
          }};
}

generator dissemination_all_reduce(int ranks, int rank, std::uint64_t bytes, int radix,
                                   bool in_place) {
  const detail::dissemination turn(ranks, rank, radix);
  return {{.window = 2 * static_cast<std::uint32_t>(radix),
           .scratch_bytes = static_cast<std::uint64_t>(turn.turns()) * bytes,
           .edges_apart = true,
           .alike = true},
          [=](script& out) { return disseminate(out, ranks, rank, bytes, radix, in_place); }};
}

bool is_power_of(int radix, int ranks) noexcept {
  std::int64_t power = 1;
  while (power < ranks) power *= radix;
  return power == ranks;
}

}  // namespace upwash::collective
