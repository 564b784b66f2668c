// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/all_gathers_v.hpp"

#include "upwash/collective/algorithms/detail/dissemination.hpp"

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

/// Scratch holds the blocks from the rank's own on.
steps disseminate(script& out, blocks data, int rank, int radix, bool in_place) {
  const std::int64_t members = data.members();
  const piece own = data.at(out, buffer::output, rank);
  const auto bytes_of_first = [&](std::int64_t count) { return data.bytes_from(out, rank, count); };
  if (data.given()) co_yield out.grow(bytes_of_first(members));
  mark came = co_yield out.copy(contribution(own, in_place), piece{buffer::scratch, 0, own.bytes});
  mark held = never;  // what there was when the round began is here
  for (detail::dissemination turn(data.members(), rank, radix); !turn.ended(); turn.next()) {
    if (turn.begins_round()) held = came;
    const std::int64_t count = std::min(turn.distance(), members - turn.reach());
    const piece first{buffer::scratch, 0, bytes_of_first(count)};
    co_yield out.send(turn.behind(), turn.edge(), first).in_round(turn.round()).after(held);
    const std::uint64_t begin = bytes_of_first(turn.reach());
    const piece next{buffer::scratch, begin, bytes_of_first(turn.reach() + count) - begin};
    came = co_yield out.receive(turn.ahead(), turn.edge(), next).in_round(turn.round()).after(came);
  }
  // Blocks that lie one behind the other also do so in scratch, in two runs.
  const bool packed = data.packed(out);
  std::uint64_t begin = 0;
  for (std::int64_t i = 0; i < members;) {
    const int member = wrapped(rank + i, data.members());
    piece run = data.at(out, buffer::output, member);
    const std::int64_t blocks_of_run = packed ? std::min(members - i, members - member) : 1;
    run.bytes = data.bytes_from(out, member, blocks_of_run);
    came = co_yield out.copy(piece{buffer::scratch, begin, run.bytes}, run).after(came);
    begin += run.bytes;
    i += blocks_of_run;
  }
}

/// Steps wait for one of the last few; the rest is room for messages to overlap.
constexpr std::uint32_t overlapping = 32;

}  // namespace

generator direct_all_gather_v(const blocks& data, int rank, bool in_place) {
  return {
      {.window = overlapping, .edges_apart = true, .alike = !data.given(), .given = data.given()},
      [=](script& out) { return direct(out, data, rank, in_place); }};
}

generator ring_all_gather_v(const blocks& data, int rank, bool in_place) {
  return {{.window = 3, .edges_apart = true, .alike = !data.given(), .given = data.given()},
          [=](script& out) { return ring(out, data, rank, in_place); }};
}

generator dissemination_all_gather_v(const blocks& data, int rank, int radix, bool in_place) {
  const detail::dissemination turn(data.members(), rank, radix);
  return {{.window = 2 + 2 * static_cast<std::uint32_t>(turn.turns()),
           .scratch_bytes = static_cast<std::uint64_t>(data.members()) * data.alike_bytes(),
           .edges_apart = true,
           .alike = !data.given(),
           .given = data.given()},
          [=](script& out) { return disseminate(out, data, rank, radix, in_place); }};
}

}  // namespace upwash::collective
