// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hierarchical.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/even_blocks.hpp"
#include "upwash/collective/algorithms/detail/node_pieces.hpp"

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
using schedule::part;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

using enum detail::node_counter;

// -- Barrier

steps meet(script& out, hierarchical_call of, int radix) {
  const node_place here(of);
  if (here.place != 0) {
    co_yield out.signal(mates_came).to(here.mate(0));
    co_yield out.await(leader_done, 1).of_peer(here.mate(0)).in_round(1);
    co_return;
  }
  mark all_here = never;
  if (here.others() != 0) all_here = co_yield out.await(mates_came, here.others()).in_round(0);
  part among(out, barrier_by_dissemination(out, here.nodes.nodes(), here.node, radix),
             {.listed = here.nodes.of_place(0), .first_round = 1, .entry = all_here});
  co_await among.all();
  if (here.others() != 0) co_yield out.signal(leader_done).in_round(1).after(out.latest());
}

// -- All-reduce

struct reduction : node_pieces {
  reduction(const hierarchical_call& call, int leaders_of_node, leaders_reduce exchanged)
      : node_pieces(call, 1), leaders(leaders_of_node), among(exchanged) {}

  int leaders;
  leaders_reduce among;

  /// Where the piece begins in a buffer.
  [[nodiscard]] std::uint64_t begin_in(buffer in) const noexcept {
    return in == buffer::shared ? 0 : begin();
  }
  [[nodiscard]] piece whole(buffer in) const noexcept { return {in, begin_in(in), bytes()}; }
  /// The part of the piece that a leader combines.
  [[nodiscard]] piece of_leader(buffer in, int leader) const noexcept {
    const detail::even_blocks parts{leaders, bytes() / of.element_bytes, of.element_bytes};
    const piece part = parts.at(in, leader);
    return {in, begin_in(in) + part.offset, part.bytes};
  }
  [[nodiscard]] std::uint64_t tells(const node_place& /*here*/, int place) const noexcept {
    return place < leaders ? 1 : 0;
  }
  [[nodiscard]] buffer contribution() const noexcept {
    return of.in_place ? buffer::output : buffer::input;
  }
  /// What the member at that place has for the leader; its own lies where the caller has it.
  [[nodiscard]] piece operand(const node_place& here, int at) const noexcept {
    if (at == here.place) return of_leader(contribution(), here.place);
    return of_leader(buffer::shared, here.place).of_rank(here.mate(at));
  }
  /// One that is alone works in its output, others in scratch, whence their mates take the result.
  [[nodiscard]] buffer works_in(const node_place& here) const noexcept {
    return here.others() == 0 ? buffer::output : buffer::shared;
  }
  [[nodiscard]] generator exchange(const node_place& here) const {
    const int nodes = here.nodes.nodes();
    const std::uint64_t elements = of_leader(buffer::shared, here.place).bytes / of.element_bytes;
    if (among == leaders_reduce::by_ring) {
      return ring_all_reduce(nodes, here.node, elements, of.element_bytes, true);
    }
    const auto what =
        among == leaders_reduce::by_doubling ? exchanges::whole_vectors : exchanges::halves;
    return cube_all_reduce(nodes, here.node, elements, of.element_bytes, what, true);
  }
  [[nodiscard]] embedding embedded(node_phase now, mark combined) const noexcept {
    const node_place here(of);
    if (now != node_phase::among_leaders || here.place >= leaders) return {};
    const piece own = of_leader(works_in(here), here.place);
    return {.listed = here.nodes.of_place(here.place),
            .first_edge = first_edge(),
            .first_round = 1,
            .entry = combined,
            .output_at = own.offset,
            .output_in = own.of};
  }
};

/// The leader's part of all vectors of its node, in the order of ranks.
schedule::local_step combine(script& out, const reduction& all, const node_place& here, int at) {
  const piece sum = all.of_leader(buffer::shared, here.place);
  const piece next = all.operand(here, at);
  return at == 1 ? out.reduce(all.operand(here, 0), next, sum) : out.reduce(sum, next, sum);
}

schedule::local_step take(script& out, const reduction& all, const node_place& here, int leader) {
  const piece theirs = all.of_leader(buffer::shared, leader);
  return out.copy(leader == here.place ? theirs : theirs.of_rank(here.mate(leader)),
                  all.of_leader(buffer::output, leader));
}

schedule::local_step copy_all(script& out, const reduction& all, buffer into) {
  return out.copy(all.whole(all.contribution()), all.whole(into));
}

/// What others combine of this rank's vector, if any, is laid out.
steps meet_leaders(script& out, const reduction& all) {
  const node_place here(all.of);
  const bool leads = here.place < all.leaders;
  mark mine = never;
  if (here.others() == 0) {
    if (!all.of.in_place) {
      co_yield all.begins(copy_all(out, all, buffer::output));
    } else if (!all.is_first()) {  // nobody looks: it is what the exchange waits for
      co_yield all.begins(out.signal(leader_done));
    }
    co_return;
  }
  if (!leads || all.leaders > 1) {
    mine = co_yield all.begins(copy_all(out, all, buffer::shared));
  }
  for (int leader = 0; leader < all.leaders; ++leader) {
    if (leader != here.place) co_yield out.signal(mates_came).to(here.mate(leader)).after(mine);
  }
  if (!leads) co_return;
  mark there = co_yield all.begins(out.await(mates_came, all.counted(here.others())).in_round(0));
  for (int at = 1; at < here.size(); ++at) {
    mine = co_yield combine(out, all, here, at).after(mine, there);
    there = never;  // what follows waits for this one
  }
}

steps take_from_leaders(script& out, const reduction& all) {
  const node_place here(all.of);
  mark own_done = never;
  if (here.place < all.leaders) own_done = co_yield out.signal(leader_done).in_round(1).after_all();
  for (int leader = 0; leader < all.leaders; ++leader) {
    mark there = own_done;
    if (leader != here.place) {
      there = co_yield detail::wait_for_mate(out, all, here, leader, 1, 1).in_round(2);
    }
    co_yield take(out, all, here, leader).in_round(2).after(there);
  }
}

steps begin(script& out, const reduction& all, node_phase now) {
  const node_place here(all.of);
  if (now == node_phase::inside) return meet_leaders(out, all);
  if (now == node_phase::among_leaders) {
    return here.place < all.leaders ? all.exchange(here).begin(out) : no_steps(out);
  }
  return here.others() == 0 ? no_steps(out) : take_from_leaders(out, all);
}

// -- All-gather

struct gathering : node_pieces {
  gathering(const hierarchical_call& call, leaders_gather exchanged)
      : node_pieces(call, static_cast<std::uint64_t>(call.nodes->ranks())), among(exchanged) {}

  leaders_gather among;

  [[nodiscard]] piece contribution() const noexcept {
    return of.in_place ? block(buffer::output, of.rank) : vector(buffer::input);
  }
  /// The block at its leader: node by node.
  [[nodiscard]] piece laid_out(const node_place& here) const noexcept {
    const std::uint64_t before = here.nodes.firsts()[static_cast<std::size_t>(here.node)] +
                                 static_cast<std::uint64_t>(here.place);
    const piece own = shared(before, 1);
    return here.place == 0 ? own : own.of_rank(here.mate(0));
  }
  /// What leaders gather.
  [[nodiscard]] collective::blocks of_nodes() const noexcept {
    const model::node_map& nodes = *of.nodes;
    if (!of.given) {
      return collective::blocks::between(nodes.nodes(), nodes.firsts().data(), bytes());
    }
    const auto first = static_cast<std::uint32_t>(detail::node_words(nodes).nodes_at);
    return collective::blocks::noted(nodes.nodes(), first, of.scratch_bytes);
  }
  [[nodiscard]] generator exchange(const node_place& here) const {
    const collective::blocks data = of_nodes();
    if (among == leaders_gather::by_ring) return ring_all_gather_v(data, here.node, true);
    return dissemination_all_gather(data, here.node, 2, true);
  }
  [[nodiscard]] std::uint64_t tells(const node_place& /*here*/, int place) const noexcept {
    return place == 0 ? 1 : 0;
  }
  /// In the scratch of leaders. What comes has places of its own there, at first.
  [[nodiscard]] embedding embedded(node_phase now, mark all_here) const noexcept {
    const node_place here(of);
    if (now != node_phase::among_leaders || here.place != 0) return {};
    return {.listed = here.nodes.of_place(0),
            .first_edge = first_edge(),
            .first_round = 1,
            .entry = all_here,
            .output_in = buffer::shared,
            .receives_at_once = is_first()};
  }
};

/// The blocks of members from number `first` on whose ranks follow each other; `first` goes on
/// behind them.
schedule::local_step take_some(script& out, const gathering& all, const node_place& here,
                               std::size_t& first) {
  const auto some = all.run(here.nodes.members(), first);
  first += some.count;
  const piece laid = all.shared(some.first, some.count);
  return out.copy(here.place == 0 ? laid : laid.of_rank(here.mate(0)),
                  all.blocks_of(some, buffer::output));
}

steps take_all(script& out, const gathering& all) {
  const node_place here(all.of);
  mark there = never;
  if (here.place == 0) {
    there = co_yield out.signal(leader_done).in_round(1).after_all();
  } else {
    there = co_yield detail::wait_for_mate(out, all, here, 0, 1, 1).in_round(2);
  }
  for (std::size_t next = 0; next < here.nodes.members().size();) {
    there = co_yield take_some(out, all, here, next).in_round(2).after(there);
  }
}

steps begin(script& out, const gathering& all, node_phase now) {
  const node_place here(all.of);
  if (now == node_phase::inside) return detail::lay_at_first(out, all);
  if (now == node_phase::from_leaders) return take_all(out, all);
  return here.place == 0 ? all.exchange(here).begin(out) : no_steps(out);
}

}  // namespace

generator hierarchical_barrier(const hierarchical_call& of, int radix) {
  const generator among = dissemination_barrier(of.nodes->nodes(), 0, radix);
  return {needs_of(among.wants(), 0), [=](script& out) { return meet(out, of, radix); }};
}

generator hierarchical_all_reduce(const hierarchical_call& of, int leaders, leaders_reduce among) {
  const reduction all(of, leaders, among);
  const node_place here(of);
  schedule::needs inner;
  if (here.place < leaders) inner = all.exchange(here).wants();
  // What a leader takes itself may wait for its last step before it takes from all others.
  inner.window = std::max(inner.window, 2 * static_cast<std::uint32_t>(leaders));
  return {needs_of(inner, all.shared_bytes()), [=](script& out) { return by_phases(out, all); }};
}

generator hierarchical_all_gather(const hierarchical_call& of, leaders_gather among) {
  const gathering all(of, among);
  const node_place here(of);
  schedule::needs inner;
  if (here.place == 0) inner = all.exchange(here).wants();
  // What comes waits for the piece to begin: two steps a turn.
  if (of.given || all.several()) {
    inner.window = std::max(inner.window, 2 * static_cast<std::uint32_t>(of.nodes->nodes()));
  }
  return {needs_of(inner, all), [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
