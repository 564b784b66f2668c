// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "upwash/collective/algorithms/detail/node_stages.hpp"
#include "upwash/collective/algorithms/hierarchical.hpp"

namespace upwash::collective {

using detail::at_mate;
using detail::by_phases;
using detail::needs_of;
using detail::node_phase;
using detail::node_pieces;
using detail::node_place;
using detail::node_stage;
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

std::uint64_t wide(int number) noexcept { return static_cast<std::uint64_t>(number); }

std::uint64_t most_blocks(const model::node_map& nodes) noexcept {
  std::uint64_t most = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    most = std::max(most, detail::most_turns(nodes, node) * wide(nodes.size_of(node)));
  }
  return wide(nodes.ranks()) + most;
}

/// Scratch: the member's vector, node by node, then, for each turn that it leads, what comes.
struct scattering : node_pieces {
  scattering(const hierarchical_call& call, bool in_order)
      : node_pieces(call, most_blocks(*call.nodes)), ordered(in_order) {}

  static constexpr detail::beside lies_beside = detail::beside::what_comes;
  bool ordered;

  /// Of the vector of a mate, what is for a node.
  [[nodiscard]] piece for_node(const node_place& here, int place, int node) const noexcept {
    return at_mate(here, place, node_blocks(node));
  }
  /// Of the vector of a mate, what is for this member.
  [[nodiscard]] piece for_here(const node_place& here, int place) const noexcept {
    const auto first = here.nodes.firsts()[static_cast<std::size_t>(here.node)];
    return at_mate(here, place, shared(first + wide(here.place), 1));
  }
  [[nodiscard]] piece incoming(const node_place& here, const node_stage& at) const noexcept {
    const std::uint64_t bytes_of_node = node_blocks(here.node).bytes;
    return {buffer::shared, shared(0, wide(here.nodes.ranks())).bytes + at.turn * bytes_of_node,
            bytes_of_node};
  }
  /// Of what came at the stage's leader, what is for this member.
  [[nodiscard]] piece came_for_here(const node_place& here, const node_stage& at) const noexcept {
    piece own = for_here(here, here.place);
    own.offset += incoming(here, at).offset - node_blocks(here.node).offset;
    return at_mate(here, at.leader, own);
  }
  [[nodiscard]] piece result() const noexcept {
    return of.in_place ? block(buffer::output, of.rank) : vector(buffer::output);
  }
  /// Whose turn it is to be combined: stages in order; where operands are too, nodes below from the
  /// nearest on, then those above from the nearest on.
  [[nodiscard]] int distance_of(const node_place& here, int turn) const noexcept {
    return ordered && turn > here.node ? here.nodes.nodes() - (turn - here.node) : turn;
  }
  /// Of each stage that it leads.
  [[nodiscard]] std::uint64_t tells(const node_place& here, int place) const noexcept {
    return detail::turns_of(here.nodes, here.node, place);
  }
  [[nodiscard]] embedding embedded(node_phase /*now*/, mark /*before*/) const noexcept {
    return {};
  }
};

/// The mates of a member from the nearest below on, then those above: number i of them.
int mate_in_turn(const node_place& here, int i) noexcept {
  return i < here.place ? here.place - 1 - i : i + 1;
}

/// Blocks of ranks that follow each other, from number `first` on of all, node by node.
schedule::local_step lay_some(script& out, const scattering& all, const node_place& here,
                              std::size_t& first) {
  const auto some = all.run(here.nodes.members(), first);
  first += some.count;
  const buffer from = all.of.in_place ? buffer::output : buffer::input;
  const auto laid = out.copy(all.blocks_of(some, from), all.shared(some.first, some.count));
  return some.first == 0 ? all.begins(laid) : laid;
}

steps lay_out(script& out, const scattering& all) {
  const node_place here(all.of);
  mark mine = never;
  for (std::size_t next = 0; next < here.nodes.members().size();) {
    mine = co_yield lay_some(out, all, here, next).after(mine);
  }
  for (int place = 0; place < here.size(); ++place) {
    co_yield out.signal(mates_came).to(here.mate(place)).after(mine);
  }
}

/// What a mate has for a node joins what the leader has, on the side where its rank is.
schedule::local_step combine(script& out, const scattering& all, const node_place& here, int node,
                             int mate) {
  const piece sum = all.for_node(here, here.place, node);
  const piece more = all.for_node(here, mate, node);
  return mate < here.place ? out.reduce(more, sum, sum) : out.reduce(sum, more, sum);
}

steps exchange(script& out, const scattering& all) {
  const node_place here(all.of);
  mark told = never;
  for (int distance = here.place + 1; distance < here.nodes.nodes(); distance += here.size()) {
    const node_stage at(here, distance);
    mark combined = co_yield out.await(mates_came, all.counted(wide(here.size())));
    for (int i = 0; i + 1 < here.size(); ++i) {
      combined = co_yield combine(out, all, here, at.ahead, mate_in_turn(here, i))
                     .in_round(at.edge + 1)
                     .after(combined);
    }
    co_yield out
        .send(at.to(here.nodes), all.first_edge() + at.edge,
              all.for_node(here, here.place, at.ahead))
        .in_round(at.edge + 1)
        .after(combined);
    const mark came =
        co_yield out
            .receive(at.from(here.nodes), all.first_edge() + at.edge, all.incoming(here, at))
            .in_round(at.edge + 1)
            .after(all.is_first() ? never : combined);
    told = co_yield out.signal(leader_done).in_round(at.edge + 1).after(came, told);
  }
}

/// `sum` is the member's own block, or the result once something was combined.
schedule::local_step join(script& out, const piece& sum, const piece& more, const piece& into,
                          bool is_below) {
  return is_below ? out.reduce(more, sum, into) : out.reduce(sum, more, into);
}

steps take(script& out, const scattering& all) {
  const node_place here(all.of);
  const piece result = all.result();
  piece sum = all.for_here(here, here.place);
  mark summed = co_yield out.await(mates_came, all.counted(wide(here.size())));
  for (int i = 0; i + 1 < here.size(); ++i) {
    const int mate = mate_in_turn(here, i);
    summed =
        co_yield join(out, sum, all.for_here(here, mate), result, mate < here.place).after(summed);
    sum = result;
  }
  for (int turn = 1; turn < here.nodes.nodes(); ++turn) {
    const node_stage at(here, all.distance_of(here, turn));
    const mark there = co_yield detail::wait_for(out, all, here, at);
    summed = co_yield join(out, sum, all.came_for_here(here, at), result, at.behind < here.node)
                 .in_round(at.edge + 1)
                 .after(there, summed);
    sum = result;
  }
}

steps begin(script& out, const scattering& all, node_phase now) {
  if (now == node_phase::inside) return lay_out(out, all);
  return now == node_phase::among_leaders ? exchange(out, all) : take(out, all);
}

}  // namespace

generator hierarchical_reduce_scatter(const hierarchical_call& of, bool ordered) {
  const scattering all{of, ordered};
  // Signals wait for one copy; the rest is room for messages to overlap.
  const schedule::needs inner{
      .window = std::max(64U, static_cast<std::uint32_t>(of.nodes->largest_size()))};
  return {needs_of(inner, all), [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
