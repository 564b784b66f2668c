// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/stencil/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/program.hpp"
#include "apps/stencil/boxes.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/control.hpp"

namespace stencil {
namespace {

box box_of(const upwash::grid& on, const lattice& of, int rank) {
  return share_of(of, {on.size(0), on.size(1), on.size(2)},
                  {on.coordinate(rank, 0), on.coordinate(rank, 1), on.coordinate(rank, 2)});
}

halo_shape shape_of(const upwash::grid& on, const task& what, const cells& mine) {
  halo_shape shape{on, directions_of(what.of.points), {}};
  for (const direction& way : shape.ways) shape.counts.push_back(mine.at_side(way));
  return shape;
}

void exchange(cells& mine, halo& by, const std::vector<direction>& ways) {
  for (std::size_t i = 0; i < ways.size(); ++i) mine.pack(ways[i], by.outgoing(i));
  by.exchange();
  for (std::size_t i = 0; i < ways.size(); ++i) mine.unpack(opposite(ways[i]), by.incoming(i));
}

void run_once(upwash::job& here, const task& what, timed_run& one) {
  if (one.is == nullptr) {
    upwash::control::barrier(here.world());
    const turn_of_boxes done = run_boxes(here, what, one.by);
    one.exchange.push_back(done.all);  // hidden behind the work of other boxes
    one.all.push_back(done.all);
    one.mark = done.mark;
    one.messages = done.messages;
    return;
  }
  const upwash::grid on = places_of(here.size(), what);
  const std::vector<direction> ways = directions_of(what.of.points);
  cells mine(what.of, box_of(on, what.of, here.rank()));
  const auto work = upwash::duration::from_us(2.0 * what.of.points *
                                              static_cast<double>(mine.inner()) / what.mflops);
  upwash::control::barrier(here.world());
  const std::uint64_t sent = here.counters().messages_sent;
  const auto begin = here.now();
  upwash::duration exchanges;
  for (int step = 0; step < what.steps; ++step) {
    const auto before = here.now();
    exchange(mine, *one.is, ways);
    exchanges += here.now() - before;
    mine.step();
    here.compute(work);
  }
  const upwash::duration all = here.now() - begin;
  one.messages = here.counters().messages_sent - sent;
  one.exchange.push_back(apps::slowest(here, exchanges));
  one.all.push_back(apps::slowest(here, all));
  one.mark = apps::total(here, mine.mark());
  one.messages = apps::total(here, one.messages);
}

}  // namespace

triple sides_of(int parts, const lattice& of) {
  const auto on = upwash::grid::balanced(parts, of.dimensions(), true);
  return of.dimensions() == 2 ? triple{1, on.size(0), on.size(1)}
                              : triple{on.size(0), on.size(1), on.size(2)};
}

std::string text_of(const triple& sides, const lattice& of) {
  const std::string square = fmt::format("{} x {}", sides[1], sides[2]);
  return of.dimensions() == 2 ? square : fmt::format("{} x {}", sides[0], square);
}

upwash::grid places_of(int ranks, const task& what) {
  const triple sides = sides_of(ranks, what.of);
  const int longest = std::ranges::max(sides);
  if (longest <= what.of.side)
    return upwash::grid({sides[0], sides[1], sides[2]}, {true, true, true});
  throw upwash::error(upwash::error_kind::configuration,
                      fmt::format("--size {} on {} ranks, {}: ranks would have no cells; "
                                  "give at least {}",
                                  what.of.side, ranks, text_of(sides, what.of), longest));
}

std::vector<timed_run> make_runs(upwash::job& here, const task& what,
                                 std::span<const std::string> exchanges) {
  const upwash::grid on = places_of(here.size(), what);
  cells mine(what.of, box_of(on, what.of, here.rank()));
  const halo_shape shape = shape_of(on, what, mine);
  std::vector<timed_run> all;
  for (const std::string& by : exchanges) {
    timed_run& one = all.emplace_back();
    one.by = by;
    if (is_by_objects(by)) continue;
    upwash::control::barrier(here.world());
    const auto begin = here.now();
    one.is = make_halo(here, shape, by);
    exchange(mine, *one.is, shape.ways);
    one.first = apps::slowest(here, here.now() - begin);
  }
  return all;
}

void run_in_turn(upwash::job& here, const task& what, std::span<timed_run> runs, int repeats) {
  for (int turn = 0; turn < repeats; ++turn) {
    for (timed_run& each : runs) run_once(here, what, each);
  }
  for (timed_run& each : runs) {
    if (each.is != nullptr) each.is->release();
  }
}

}  // namespace stencil
