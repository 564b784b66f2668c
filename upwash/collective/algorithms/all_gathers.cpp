// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/all_gathers.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/collective/algorithms/detail/folded_cube.hpp"
#include "upwash/collective/algorithms/detail/latest_marks.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using detail::latest_marks;
using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::part;
using schedule::piece;
using schedule::rounds;
using schedule::script;
using schedule::steps;

namespace {

piece contribution(const piece& own, bool in_place) {
  return in_place ? own : piece{buffer::input, 0, own.bytes};
}

steps direct(script& out, blocks data, int rank, bool in_place) {
  const piece own = data.at(out, buffer::output, rank);
  if (!in_place) co_yield out.copy(contribution(own, false), own);
  for (int i = 1; i < data.members(); ++i) {
    const auto edge = static_cast<std::uint32_t>(i);
    const int to = wrapped(std::int64_t{rank} + i, data.members());
    co_yield out.send(to, edge, contribution(own, in_place));
    const int from = wrapped(std::int64_t{rank} - i, data.members());
    co_yield out.receive(from, edge, data.at(out, buffer::output, from));
  }
}

steps ring(script& out, blocks data, int rank, bool in_place) {
  const int ahead = wrapped(std::int64_t{rank} + 1, data.members());
  const int behind = wrapped(std::int64_t{rank} - 1, data.members());
  const piece own = data.at(out, buffer::output, rank);
  mark here = never;
  if (!in_place) here = co_yield out.copy(contribution(own, false), own);
  rounds turns(out, static_cast<std::uint64_t>(data.members() - 1), 1);
  while (co_await turns.next()) {
    const auto turn = static_cast<std::int64_t>(turns.now());
    const auto edge = static_cast<std::uint32_t>(turn);
    const piece going = data.at(out, buffer::output, wrapped(rank - turn, data.members()));
    co_yield out.send(ahead, edge, going).after(here);
    const piece coming = data.at(out, buffer::output, wrapped(rank - turn - 1, data.members()));
    here = co_yield out.receive(behind, edge, coming);
  }
}

/// In scratch, where the blocks from the rank's own on lie: as many as travel in this turn, from
/// the one so many further on. Out of the frame.
piece held_blocks(const script& in, const blocks& data, int rank, const detail::dissemination& turn,
                  std::int64_t further) {
  const std::int64_t count = std::min(turn.distance(), data.members() - turn.reach());
  const std::uint64_t begin = data.bytes_from(in, rank, further);
  return {buffer::scratch, begin, data.bytes_from(in, rank, further + count) - begin};
}

schedule::local_step take_own(script& out, blocks& data, int rank, bool in_place) {
  const piece own = data.at(out, buffer::output, rank);
  return out.copy(contribution(own, in_place), {buffer::scratch, 0, own.bytes});
}

/// Blocks that follow each other also do so in scratch: those to the last member (tail), and the
/// rest.
std::uint64_t bytes_of_tail(const script& in, const blocks& data, int rank) {
  return data.bytes_from(in, rank, data.members() - rank);
}
std::uint64_t bytes_of_head(const script& in, const blocks& data, int rank) {
  return data.bytes_from(in, rank, data.members()) - bytes_of_tail(in, data, rank);
}
schedule::local_step turn_tail(script& out, blocks& data, int rank) {
  const std::uint64_t bytes = bytes_of_tail(out, data, rank);
  const std::uint64_t at = data.at(out, buffer::output, rank).offset;
  return out.copy({buffer::scratch, 0, bytes}, {buffer::output, at, bytes});
}
schedule::local_step turn_head(script& out, const blocks& data, int rank) {
  const std::uint64_t bytes = bytes_of_head(out, data, rank);
  return out.copy({buffer::scratch, bytes_of_tail(out, data, rank), bytes},
                  {buffer::output, 0, bytes});
}

/// Scratch holds the blocks from the rank's own on.
steps disseminate(script& out, blocks data, int rank, int radix, bool in_place) {
  const std::int64_t members = data.members();
  if (data.given()) co_yield out.grow(data.bytes_from(out, rank, members));
  mark came = co_yield take_own(out, data, rank, in_place);
  mark held = never;  // what there was when the round began is here
  detail::dissemination turn(data.members(), rank, radix);
  for (; !turn.ended(); turn.next()) {
    if (turn.begins_round()) held = came;
    co_yield out.send(turn.behind(), turn.edge(), held_blocks(out, data, rank, turn, 0))
        .in_round(turn.round())
        .after(held);
    came = co_yield out
               .receive(turn.ahead(), turn.edge(), held_blocks(out, data, rank, turn, turn.reach()))
               .in_round(turn.round())
               .after(came);
  }
  if (data.packed(out)) {
    co_yield turn_tail(out, data, rank).in_round(turn.round()).after(came);
    // Else ranks would not be alike.
    if (bytes_of_head(out, data, rank) == 0 && data.given()) co_return;
    co_yield turn_head(out, data, rank).in_round(turn.round()).after(came);
    co_return;
  }
  std::uint64_t begin = 0;
  for (std::int64_t i = 0; i < members; ++i) {
    const piece to = data.at(out, buffer::output, wrapped(rank + i, data.members()));
    came = co_yield out.copy(piece{buffer::scratch, begin, to.bytes}, to)
               .in_round(turn.round())
               .after(came);
    begin += to.bytes;
  }
}

// So many sends are open at a time: more would ask for a window as wide as a partition.
constexpr std::size_t most_of_k_prefix = 4;
constexpr std::size_t most_of_k_shift = 8;

/// Message `turn` of P-1 is the rank's `near` one of a block, or takes it to the next partition.
steps k_prefix(script& out, blocks data, int rank, int k, std::uint32_t pacing, bool in_place) {
  const int ranks = data.members();
  const auto block_of = [&](std::int64_t origin) {
    return data.at(out, buffer::output, wrapped(origin, ranks));
  };
  latest_marks<most_of_k_prefix> sent;
  if (!in_place) sent.fill(co_yield out.copy(contribution(block_of(rank), false), block_of(rank)));
  std::int64_t holds = rank;  // the rank whose block it sends
  int step = 0;
  std::uint32_t round = 0;
  std::uint32_t first_edge = static_cast<std::uint32_t>(ranks) - 1;  // of the next barrier
  for (int turn = 0; turn + 1 < ranks; ++turn, ++round) {
    const auto edge = static_cast<std::uint32_t>(turn);
    const bool near = step + 1 < k;
    const int to = near ? rank ^ (step + 1) : wrapped(std::int64_t{rank} + k, ranks);
    const int from = near ? to : wrapped(std::int64_t{rank} - k, ranks);
    const piece going = block_of(holds);
    sent.add(co_yield out.send(to, edge, going)
                 .placed(going.of_rank(to))
                 .in_round(round)
                 .after(sent.oldest()));
    // What comes lands at its place in the output, whenever it comes.
    const piece coming = block_of(near ? holds + from - rank : holds - k);
    const mark came = co_yield out.receive(from, edge, coming).placed().in_round(round);
    if (near) {
      ++step;
    } else {
      holds -= k;
      step = 0;
      sent.fill(came);
    }
    const auto emitted = static_cast<std::uint32_t>(turn) + 1;
    if (pacing == 0 || emitted % pacing != 0 || turn + 2 == ranks) continue;
    part barrier(out, barrier_by_dissemination(out, ranks, rank),
                 {.first_edge = first_edge, .first_round = round + 1, .behind_all = true});
    co_await barrier.all();
    sent.fill(out.latest());
    first_edge += dissemination_rounds(ranks);
    round += dissemination_rounds(ranks);
  }
}

/// In each iteration a block goes to the ranks around, and on to the rank k further.
steps k_shift(script& out, blocks data, int rank, std::int64_t k, bool in_place) {
  const int ranks = data.members();
  const auto rank_at = [=](std::int64_t distance) { return wrapped(rank + distance, ranks); };
  const auto block_of = [&](int origin) { return data.at(out, buffer::output, origin); };
  latest_marks<most_of_k_shift> sent;
  if (!in_place) sent.fill(co_yield out.copy(contribution(block_of(rank), false), block_of(rank)));
  const std::int64_t iterations = ranks / k;
  std::uint32_t edge = 0;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    const std::int64_t before = k / 2 + (iteration == 0 ? ranks % k : 0);
    const std::int64_t near = before + (k - 1) / 2;
    const std::int64_t passed = iteration * k;  // so far the block has come already
    const std::int64_t turns = near + (iteration + 1 == iterations ? 0 : 1);
    for (std::int64_t i = 0; i < turns; ++i, ++edge) {
      const std::int64_t shift = i == near ? k : i < before ? i - before : i - before + 1;
      const int to = rank_at(shift);
      const piece going = block_of(rank_at(-passed));
      sent.add(co_yield out.send(to, edge, going).placed(going.of_rank(to)).after(sent.oldest()));
      const int from = rank_at(-shift);
      const mark came =
          co_yield out.receive(from, edge, block_of(rank_at(-shift - passed))).placed();
      if (i == near) sent.fill(came);
    }
  }
}

/// The first block of the pair that came to a rank in a round. In round 0 the pair is whole; then
/// pairs come from both sides by turns, each from one further.
int pair_of(int ranks, int rank, int round) {
  const std::int64_t pairs = ranks / 2;
  const bool from_above = (rank + round) % 2 == 0;
  const std::int64_t away = (round + 1) / 2;
  const std::int64_t pair = rank / 2 + (from_above ? away : pairs - away);
  return static_cast<int>(pair % pairs * 2);
}

steps exchange_with_neighbors(script& out, blocks data, int rank, bool in_place) {
  const int ranks = data.members();
  const piece own = data.at(out, buffer::output, rank);
  mark came = never;
  if (!in_place) came = co_yield out.copy(contribution(own, false), own);
  for (int round = 0; round < ranks / 2; ++round) {
    const int peer = wrapped(std::int64_t{rank} + ((rank + round) % 2 == 0 ? 1 : -1), ranks);
    const auto going_from = [&](int sender) {
      if (round == 0) return data.at(out, buffer::output, sender);
      piece pair = data.at(out, buffer::output, pair_of(ranks, sender, round - 1));
      pair.bytes *= 2;
      return pair;
    };
    const auto edge = static_cast<std::uint32_t>(round);
    const piece going = going_from(rank);
    co_yield out.send(peer, edge, going).placed(going.of_rank(peer)).after(came);
    // The first pair is the rank's own block too.
    const mark earlier = round == 0 ? came : never;
    came = co_yield out.receive(peer, edge, going_from(peer)).placed().after(earlier);
  }
}

/// Where the stages of a hypercube end and the exchange with all of a subcube begins.
struct cube_stages {
  detail::folded_cube cube;
  std::uint64_t bytes;
  int combining;  ///< stages that combine

  [[nodiscard]] int count() const noexcept {
    return combining + (1 << (cube.dimensions() - combining)) - 1;
  }
  [[nodiscard]] int partner(int vertex, int stage) const noexcept {
    if (stage < combining) return vertex ^ (1 << stage);
    return vertex ^ ((stage - combining + 1) << combining);
  }
  [[nodiscard]] piece blocks(int first, int behind) const noexcept {
    return {buffer::output, static_cast<std::uint64_t>(first) * bytes,
            static_cast<std::uint64_t>(behind - first) * bytes};
  }
  /// What a vertex holds before a stage.
  [[nodiscard]] piece held(int vertex, int stage) const noexcept {
    const int level = std::min(stage, combining);
    const int least = vertex >> level << level;
    return blocks(cube.rank_of(least), cube.rank_of(least + (1 << level)));
  }
};

/// A rank beyond the cube gives its block first, and gets all at the end, its own among them.
steps beside_hypercube(script& out, cube_stages at, int ranks, int rank, bool in_place) {
  const piece own = at.blocks(rank, rank + 1);
  const int vertex = rank - 1;
  const mark gone =
      co_yield out.send(vertex, 0, contribution(own, in_place)).placed(own.of_rank(vertex));
  const auto last = static_cast<std::uint32_t>(1 + at.count());
  const schedule::receive_step all = out.receive(vertex, last, at.blocks(0, ranks));
  if (in_place) {
    co_yield all.after(gone);  // what comes overwrites it
  } else {
    co_yield all.placed();
  }
}

steps over_hypercube(script& out, cube_stages at, int ranks, int rank, bool in_place) {
  const int vertex = at.cube.vertex_of(rank);
  const bool has_folded = at.cube.has_folded(vertex);
  const piece own = at.blocks(rank, rank + 1);
  mark came = never;  // all emitted before has come, too
  if (!in_place) came = co_yield out.copy(contribution(own, false), own);
  std::uint32_t round = 0;
  if (has_folded) {
    came =
        co_yield out.receive(rank + 1, round, at.blocks(rank + 1, rank + 2)).placed().after(came);
  }
  if (at.cube.folded() != 0) ++round;
  mark held = never;  // what is sent in this stage is here
  for (int stage = 0; stage < at.count(); ++stage, ++round) {
    if (stage <= at.combining) held = came;
    const int partner = at.partner(vertex, stage);
    const int peer = at.cube.rank_of(partner);
    // Everything has the same place everywhere.
    const piece going = at.held(vertex, stage);
    co_yield out.send(peer, round, going).placed(going.of_rank(peer)).after(held);
    // What comes last or straight to its end nobody passes on, but to a folded rank.
    const bool passed_on = has_folded || (stage < at.combining && stage + 1 < at.count());
    const piece coming = at.held(partner, stage);
    came = co_yield out.receive(peer, round, coming).placed().after(passed_on ? came : never);
  }
  if (!has_folded) co_return;
  const piece all = at.blocks(0, ranks);
  const schedule::send_step back = out.send(rank + 1, round, all).after(came);
  if (in_place) {
    co_yield back;
  } else {
    co_yield back.placed(all.of_rank(rank + 1));
  }
}

/// Steps wait for one of the last few; the rest is room for messages to overlap.
constexpr std::uint32_t overlapping = 32;

}  // namespace

generator direct_all_gather_v(const blocks& data, int rank, bool in_place) {
  return {{.window = overlapping,
           .edges_apart = true,
           .alike = data.all_alike(),
           .given = data.given()},
          [=](script& out) { return direct(out, data, rank, in_place); }};
}

generator ring_all_gather_v(const blocks& data, int rank, bool in_place) {
  return {{.window = 3, .edges_apart = true, .alike = data.all_alike(), .given = data.given()},
          [=](script& out) { return ring(out, data, rank, in_place); }};
}

generator dissemination_all_gather(const blocks& data, int rank, int radix, bool in_place) {
  const detail::dissemination turn(data.members(), rank, radix);
  return {{.window = 2 + 2 * static_cast<std::uint32_t>(turn.turns()),
           .scratch_bytes = data.all_bytes(),
           .edges_apart = true,
           .alike = data.all_alike(),
           .given = data.given()},
          [=](script& out) { return disseminate(out, data, rank, radix, in_place); }};
}

int k_prefix_partition(int ranks, std::uint64_t k) noexcept {
  const std::uint64_t both = static_cast<std::uint64_t>(ranks) | k;
  return static_cast<int>(both & (~both + 1));  // the lowest bit of either
}

generator k_prefix_all_gather(int ranks, int rank, std::uint64_t bytes, std::uint64_t k,
                              std::uint64_t pacing, bool in_place) {
  const blocks data = blocks::alike(ranks, bytes);
  const int partition = k_prefix_partition(ranks, k);
  const auto paced =
      static_cast<std::uint32_t>(std::min(pacing, static_cast<std::uint64_t>(ranks)));
  // A send and a receive each; behind a barrier all begins anew.
  return {{.window = 2 * most_of_k_prefix, .edges_apart = true, .alike = true},
          [=](script& out) { return k_prefix(out, data, rank, partition, paced, in_place); }};
}

generator k_shift_all_gather(int ranks, int rank, std::uint64_t bytes, std::uint64_t k,
                             bool in_place) {
  const blocks data = blocks::alike(ranks, bytes);
  const auto around = static_cast<std::int64_t>(std::min(k, static_cast<std::uint64_t>(ranks)));
  return {{.window = 2 * most_of_k_shift, .edges_apart = true, .alike = true},
          [=](script& out) { return k_shift(out, data, rank, around, in_place); }};
}

generator neighbor_exchange_all_gather(int ranks, int rank, std::uint64_t bytes, bool in_place) {
  const blocks data = blocks::alike(ranks, bytes);
  return {{.window = 4, .edges_apart = true, .alike = true},
          [=](script& out) { return exchange_with_neighbors(out, data, rank, in_place); }};
}

generator hypercube_all_gather(int ranks, int rank, std::uint64_t bytes, int zeta, bool in_place) {
  const detail::folded_cube cube(ranks);
  const int direct = std::min(zeta, cube.dimensions());
  const cube_stages at{cube, bytes, cube.dimensions() - direct};
  return {{.window = 4 + (2U << static_cast<unsigned>(direct)),
           .edges_apart = true,
           .alike = cube.folded() == 0},
          [=](script& out) {
            return cube.is_folded(rank) ? beside_hypercube(out, at, ranks, rank, in_place)
                                        : over_hypercube(out, at, ranks, rank, in_place);
          }};
}

}  // namespace upwash::collective
