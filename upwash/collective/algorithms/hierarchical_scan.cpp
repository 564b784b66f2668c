// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/node_pieces.hpp"
#include "upwash/collective/algorithms/hierarchical.hpp"
#include "upwash/collective/algorithms/scans.hpp"

namespace upwash::collective {

using detail::by_phases;
using detail::needs_of;
using detail::no_steps;
using detail::node_phase;
using detail::node_pieces;
using detail::node_place;
using schedule::buffer;
using schedule::embedding;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

using enum detail::node_counter;

/// Scratch of a leader: what it has combined up to each member, then that of all nodes before.
struct scanning : node_pieces {
  scanning(const hierarchical_call& call, scan_reach up_to)
      : node_pieces(call, static_cast<std::uint64_t>(call.nodes->largest_size()) + 1),
        reach(up_to) {}

  scan_reach reach;

  [[nodiscard]] piece contribution() const noexcept {
    return vector(of.in_place ? buffer::output : buffer::input);
  }
  /// Up to the member with that place.
  [[nodiscard]] piece up_to(const node_place& here, int place) const noexcept {
    const piece laid = shared(static_cast<std::uint64_t>(place), 1);
    return here.place == 0 ? laid : laid.of_rank(here.mate(0));
  }
  [[nodiscard]] piece laid_out(const node_place& here) const noexcept {
    return up_to(here, here.place);
  }
  [[nodiscard]] piece of_nodes_before(const node_place& here) const noexcept {
    return up_to(here, here.nodes.largest_size());
  }
  /// The place up to which this member wants its node; -1: nothing of it.
  [[nodiscard]] int wanted(const node_place& here) const noexcept {
    return reach == scan_reach::inclusive ? here.place : here.place - 1;
  }
  [[nodiscard]] generator exchange(const node_place& here) const {
    return doubling_exclusive_scan(here.nodes.nodes(), here.node, bytes(), true);
  }
  [[nodiscard]] std::uint64_t tells(const node_place& /*here*/, int place) const noexcept {
    return place == 0 ? 1 : 0;
  }
  [[nodiscard]] embedding embedded(node_phase now, mark combined) const noexcept {
    const node_place here(of);
    if (now != node_phase::among_leaders || here.place != 0) return {};
    return {.listed = here.nodes.of_place(0),
            .first_edge = first_edge(),
            .first_round = 1,
            .entry = combined,
            .output_at = of_nodes_before(here).offset,
            .output_in = buffer::shared};
  }
};

schedule::local_step combine(script& out, const scanning& all, const node_place& here, int at) {
  const piece sum = all.up_to(here, at);
  return out.reduce(all.up_to(here, at - 1), sum, sum);
}

steps meet(script& out, const scanning& all) {
  const node_place here(all.of);
  schedule::part lay(out, detail::lay_at_first(out, all));
  co_await lay.all();
  if (here.place != 0) co_return;
  mark combined = out.latest();
  for (int at = 1; at < here.size(); ++at) {
    combined = co_yield combine(out, all, here, at).after(combined);
  }
  co_yield out.copy(all.up_to(here, here.size() - 1), all.of_nodes_before(here)).after(combined);
}

schedule::local_step take(script& out, const scanning& all, const node_place& here) {
  const piece result = all.vector(buffer::output);
  const int place = all.wanted(here);
  if (here.node == 0) return out.copy(all.up_to(here, place), result);
  if (place < 0) return out.copy(all.of_nodes_before(here), result);
  return out.reduce(all.of_nodes_before(here), all.up_to(here, place), result);
}

steps take_own(script& out, const scanning& all) {
  const node_place here(all.of);
  mark there = never;
  if (here.place != 0) {
    there = co_yield detail::wait_for_mate(out, all, here, 0, 1, 1).in_round(2);
  } else {
    there = co_yield out.signal(leader_done).in_round(1).after_all();
  }
  if (here.node == 0 && all.wanted(here) < 0) co_return;
  co_yield take(out, all, here).in_round(2).after(there);
}

steps begin(script& out, const scanning& all, node_phase now) {
  const node_place here(all.of);
  if (now == node_phase::inside) return meet(out, all);
  if (now == node_phase::from_leaders) return take_own(out, all);
  return here.place == 0 ? all.exchange(here).begin(out) : no_steps(out);
}

}  // namespace

generator hierarchical_scan(const hierarchical_call& of, scan_reach reach) {
  const scanning all(of, reach);
  const node_place here(of);
  schedule::needs inner;
  if (here.place == 0) inner = all.exchange(here).wants();
  return {needs_of(inner, all.shared_bytes()), [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
