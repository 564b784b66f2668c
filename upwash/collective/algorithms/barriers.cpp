// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/barriers.hpp"

#include "upwash/collective/algorithms/detail/dissemination.hpp"
#include "upwash/collective/algorithms/detail/folded_cube.hpp"

namespace upwash::collective {

using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

constexpr piece nothing{};

steps pairwise(script& out, detail::folded_cube cube, int rank) {
  const int vertex = cube.vertex_of(rank);
  const int stages = cube.dimensions();
  if (cube.is_folded(rank)) {
    co_yield out.send(rank - 1, 0, nothing);
    co_yield out.receive(rank - 1, static_cast<std::uint32_t>(1 + stages), nothing);
    co_return;
  }
  mark heard = never;
  std::uint32_t round = 0;
  if (cube.has_folded(vertex)) heard = co_yield out.receive(rank + 1, round, nothing);
  if (cube.folded() != 0) ++round;
  for (int stage = 0; stage < stages; ++stage, ++round) {
    const int partner = cube.rank_of(vertex ^ (1 << stage));
    co_yield out.send(partner, round, nothing).after(heard);
    heard = co_yield out.receive(partner, round, nothing).after(heard);
  }
  if (cube.has_folded(vertex)) co_yield out.send(rank + 1, round, nothing).after(heard);
}

steps central(script& out, int ranks) {
  co_yield out.signal(0).to(0);
  // It comes to P only with this rank's own.
  co_yield out.await(0, static_cast<std::uint64_t>(ranks)).of_peer(0);
}

}  // namespace

steps barrier_by_dissemination(script& out, int ranks, int rank, int radix) {
  mark heard = never;
  mark round_before = never;
  for (detail::dissemination turn(ranks, rank, radix); !turn.ended(); turn.next()) {
    if (turn.begins_round()) round_before = heard;
    co_yield out.send(turn.ahead(), turn.edge(), nothing)
        .in_round(turn.round())
        .after(round_before);
    heard = co_yield out.receive(turn.behind(), turn.edge(), nothing)
                .in_round(turn.round())
                .after(heard);
  }
}

generator dissemination_barrier(int ranks, int rank, int radix) {
  const detail::dissemination turn(ranks, rank, radix);
  return {
      {.window = 2 * static_cast<std::uint32_t>(turn.turns()), .edges_apart = true, .alike = true},
      [=](script& out) { return barrier_by_dissemination(out, ranks, rank, radix); }};
}

generator pairwise_barrier(int ranks, int rank) {
  const detail::folded_cube cube(ranks);
  return {{.window = 4, .edges_apart = true, .alike = cube.folded() == 0},
          [=](script& out) { return pairwise(out, cube, rank); }};
}

generator central_counter_barrier(int ranks) {
  return {{.counters = 1}, [=](script& out) { return central(out, ranks); }};
}

}  // namespace upwash::collective
