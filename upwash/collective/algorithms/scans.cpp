// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/scans.hpp"

#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::part;
using schedule::piece;
using schedule::receive_step;
using schedule::script;
using schedule::send_step;
using schedule::steps;

namespace {

steps chain(script& out, int ranks, int rank, std::uint64_t bytes, bool in_place) {
  const piece value{buffer::output, 0, bytes};
  const piece own{in_place ? buffer::output : buffer::input, 0, bytes};
  const piece coming{buffer::scratch, 0, bytes};
  const auto round = static_cast<std::uint32_t>(rank);
  mark ready = never;
  if (rank != 0) {
    ready = co_yield out.receive(rank - 1, 0, coming).in_round(round - 1);
    ready = co_yield out.reduce(coming, own, value).in_round(round).after(ready);
  } else if (!in_place) {
    ready = co_yield out.copy(own, value);
  }
  if (rank + 1 != ranks) co_yield out.send(rank + 1, 0, value).in_round(round).after(ready);
}

/// From `ready` on the rank's own is in the output.
steps doubling(script& out, int ranks, int rank, std::uint64_t bytes, mark ready) {
  const piece value{buffer::output, 0, bytes};
  mark free[2] = {never, never};  // scratch, by parity
  std::uint32_t round = 0;
  for (std::int64_t distance = 1; distance < ranks; distance *= 2, ++round) {
    mark sent = never;
    if (rank + distance < ranks) {
      sent = co_yield out.send(static_cast<int>(rank + distance), round, value).after(ready);
    }
    if (rank < distance) continue;
    const piece coming{buffer::scratch, round % 2 * bytes, bytes};
    mark& read = free[round % 2];
    const mark came =
        co_yield out.receive(static_cast<int>(rank - distance), round, coming).after(read);
    ready = read =
        co_yield out.reduce(coming, value, value).in_round(round).after(came, sent, ready);
  }
}

steps scan(script& out, int ranks, int rank, std::uint64_t bytes, bool in_place) {
  mark ready = never;
  if (!in_place) ready = co_yield out.copy({buffer::input, 0, bytes}, {buffer::output, 0, bytes});
  part all(out, doubling(out, ranks, rank, bytes, ready));
  co_await all.all();
}

steps exclusive(script& out, int ranks, int rank, std::uint64_t bytes, bool in_place) {
  const piece value{buffer::output, 0, bytes};
  mark sent = never;
  if (rank + 1 < ranks) {
    const piece own{in_place ? buffer::output : buffer::input, 0, bytes};
    const send_step step = out.send(rank + 1, 0, own);
    const send_step going = in_place ? step : step.placed(value.of_rank(rank + 1));
    sent = co_yield going;
  }
  if (rank == 0) co_return;
  const receive_step step = out.receive(rank - 1, 0, value);
  const receive_step coming = in_place ? step.after(sent) : step.placed();
  const mark ready = co_yield coming;
  part of_others(out, doubling(out, ranks - 1, rank - 1, bytes, ready),
                 {.among = {.first = 1}, .first_edge = 1, .first_round = 1});
  co_await of_others.all();
}

/// The last ranks to send wait for their own value, however many rounds ago it was complete.
constexpr std::uint32_t window_of_doubling = 34;

}  // namespace

generator linear_scan(int ranks, int rank, std::uint64_t bytes, bool in_place) {
  return {{.window = 2, .scratch_bytes = bytes, .edges_apart = true},
          [=](script& out) { return chain(out, ranks, rank, bytes, in_place); }};
}

generator doubling_scan(int ranks, int rank, std::uint64_t bytes, bool in_place) {
  return {{.window = window_of_doubling, .scratch_bytes = 2 * bytes, .edges_apart = true},
          [=](script& out) { return scan(out, ranks, rank, bytes, in_place); }};
}

generator doubling_exclusive_scan(int ranks, int rank, std::uint64_t bytes, bool in_place) {
  return {{.window = window_of_doubling + 2, .scratch_bytes = 2 * bytes, .edges_apart = true},
          [=](script& out) { return exclusive(out, ranks, rank, bytes, in_place); }};
}

}  // namespace upwash::collective
