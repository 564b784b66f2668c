// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/node_root.hpp"
#include "upwash/collective/algorithms/hierarchical.hpp"
#include "upwash/schedule/milestone.hpp"

namespace upwash::collective {

using detail::by_phases;
using detail::needs_of;
using detail::no_steps;
using detail::node_phase;
using detail::node_place;
using detail::node_root;
using model::tree_place;
using schedule::buffer;
using schedule::embedding;
using schedule::generator;
using schedule::mark;
using schedule::milestone;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

using enum detail::node_counter;

/// Blocks of all members at the root.
enum class way : std::uint8_t { into_scratch, out_of_scratch };

/// Of a vector of blocks, those of number `next` in the order of the root's scratch and of all
/// whose ranks follow it; `next` goes on behind them.
schedule::local_step copy_some(script& out, const node_root& all, way to, buffer vector,
                               std::size_t& next) {
  const node_place here(all.of);
  const auto members = here.nodes.members();
  const std::size_t first = here.nodes.firsts()[static_cast<std::size_t>(here.node)];
  const std::size_t behind = members.size() - first;  // then come those of the nodes before
  const auto some =
      next < behind ? all.run(members, first + next) : all.run(members.first(first), next - behind);
  const piece laid = all.shared(next, some.count);
  const piece in_vector = all.blocks_of(some, vector);
  next += some.count;
  if (to == way::out_of_scratch) return out.copy(laid, in_vector).after_all();
  const auto copied = out.copy(in_vector, laid);
  return some.first == first ? all.begins(copied) : copied;
}

// -- Broadcast and scatter

struct going_down : node_root {
  going_down(const rooted_by_nodes& call, bool has_blocks)
      : node_root(call, has_blocks ? static_cast<std::uint64_t>(call.of.nodes->ranks()) : 1),
        by_blocks(has_blocks) {}

  bool by_blocks;  ///< each member has one; else all have all

  [[nodiscard]] bool is_root() const noexcept { return of.rank == root; }
  /// What the root has: of a broadcast all goes from there.
  [[nodiscard]] piece contribution() const noexcept {
    if (by_blocks) return block(buffer::input, root);
    return vector(of.in_place ? buffer::output : buffer::input);
  }
  [[nodiscard]] piece received(const tree_place& here) const noexcept {
    return by_blocks ? subtree(here) : shared(0, 1);
  }
  [[nodiscard]] piece sent(const tree_place& here, const tree_place::subtree& to) const noexcept {
    if (by_blocks) return below(here, to);
    return here.is_root() ? contribution() : shared(0, 1);
  }
  /// Where this member's own lies at its leader.
  [[nodiscard]] piece own(const node_place& here) const noexcept {
    const piece laid = shared(by_blocks ? static_cast<std::uint64_t>(here.place) : 0, 1);
    return leads(here) ? laid : laid.of_rank(leader(here));
  }
  [[nodiscard]] std::uint64_t tells(const node_place& here, int place) const noexcept {
    return place == leader_of(here.node) ? 1 : 0;
  }
  [[nodiscard]] embedding embedded(node_phase now, mark laid) const noexcept {
    const bool leading = now == node_phase::among_leaders && leads(node_place(of));
    return leading ? among_leaders(laid) : embedding{};
  }
};

steps lay_down(script& out, const going_down& all) {
  const node_place here(all.of);
  if (all.is_root() && all.by_blocks) {
    mark laid = never;
    for (std::size_t next = 0; next < here.nodes.members().size();) {
      laid = co_yield copy_some(out, all, way::into_scratch, buffer::input, next).after(laid);
    }
  } else if (!all.is_first()) {
    co_yield all.begins(out.copy({}, {}));  // nobody looks: what comes waits for it
  }
}

steps hand_down(script& out, const going_down& all) {
  const node_place here(all.of);
  const tree_place tree = all.tree(here, all.root_node());
  const bool lies_there = !tree.is_root() || all.by_blocks;
  milestone have;
  have.set(out.latest());
  if (!tree.is_root()) have.set(co_yield out.receive(tree.parent(), 0, all.received(tree)));
  if (lies_there && here.others() != 0) co_yield out.signal(leader_done).after(have.at());
  for (int i = tree.children() - 1; i >= 0; --i) {
    const auto below = tree.child(i);
    have.pass(
        co_yield out.send(tree.rank_of(below.position), 0, all.sent(tree, below)).after(have.at()));
  }
  if (!lies_there && here.others() != 0) {
    const mark laid = co_yield out.copy(all.contribution(), all.own(here)).after(have.at());
    co_yield out.signal(leader_done).after(laid);
  }
  if (tree.is_root() && all.of.in_place) co_return;
  const piece own = tree.is_root() ? all.contribution() : all.own(here);
  co_yield out.copy(own, all.vector(buffer::output)).after(have.at());
}

steps take(script& out, const going_down& all) {
  const node_place here(all.of);
  const int leader = all.leader_of(here.node);
  const mark there = co_yield detail::wait_for_mate(out, all, here, leader, 1, 1);
  co_yield out.copy(all.own(here), all.vector(buffer::output)).after(there);
}

steps begin(script& out, const going_down& all, node_phase now) {
  if (!all.leads(node_place(all.of))) {
    return now == node_phase::from_leaders ? take(out, all) : no_steps(out);
  }
  if (now == node_phase::inside) return lay_down(out, all);
  return now == node_phase::among_leaders ? hand_down(out, all) : no_steps(out);
}

generator down(const rooted_by_nodes& call, bool by_blocks) {
  const going_down all(call, by_blocks);
  return {needs_of({.window = milestone::reach}, all.shared_bytes()),
          [=](script& out) { return by_phases(out, all); }};
}

// -- Gather

struct gathering_up : node_root {
  explicit gathering_up(const rooted_by_nodes& call)
      : node_root(call, static_cast<std::uint64_t>(call.of.nodes->ranks())) {}

  [[nodiscard]] piece contribution() const noexcept {
    return of.in_place && of.rank == root ? block(buffer::output, root) : vector(buffer::input);
  }
  [[nodiscard]] piece laid_out(const node_place& here) const noexcept {
    const piece laid = shared(static_cast<std::uint64_t>(here.place), 1);
    return leads(here) ? laid : laid.of_rank(leader(here));
  }
  [[nodiscard]] std::uint64_t tells(const node_place& /*here*/, int /*place*/) const noexcept {
    return 0;
  }
  [[nodiscard]] embedding embedded(node_phase now, mark all_here) const noexcept {
    if (now != node_phase::among_leaders || !leads(node_place(of))) return {};
    embedding up = among_leaders(all_here);
    up.receives_at_once = is_first();  // what comes has places of its own
    return up;
  }
};

steps meet_mates(script& out, const gathering_up& all) {
  const node_place here(all.of);
  const mark mine = co_yield all.begins(out.copy(all.contribution(), all.laid_out(here)));
  if (here.others() == 0) co_return;
  co_yield out.await(mates_came, all.counted(here.others())).after(mine);
}

steps hand_up(script& out, const gathering_up& all) {
  const node_place here(all.of);
  const tree_place tree = all.tree(here, all.root_node());
  milestone begun;
  if (!all.is_first()) begun.set(out.latest());
  for (int i = 0; i < tree.children(); ++i) {
    const auto below = tree.child(i);
    begun.pass(co_yield out.receive(tree.rank_of(below.position), 0, all.below(tree, below))
                   .after(begun.at()));
  }
  if (!tree.is_root()) {
    co_yield out.send(tree.parent(), 0, all.subtree(tree)).after_all();
  } else {
    for (std::size_t next = 0; next < here.nodes.members().size();) {
      co_yield copy_some(out, all, way::out_of_scratch, buffer::output, next);
    }
  }
}

steps begin(script& out, const gathering_up& all, node_phase now) {
  const node_place here(all.of);
  if (all.leads(here)) {
    if (now == node_phase::from_leaders) return no_steps(out);
    return now == node_phase::inside ? meet_mates(out, all) : hand_up(out, all);
  }
  if (now != node_phase::inside) return no_steps(out);
  return detail::lay_at_leader(out, all, all.contribution(), all.laid_out(here));
}

}  // namespace

generator hierarchical_memory_broadcast(const rooted_by_nodes& call) { return down(call, false); }

generator hierarchical_scatter(const rooted_by_nodes& call) { return down(call, true); }

generator hierarchical_gather(const rooted_by_nodes& call) {
  const gathering_up all(call);
  return {needs_of({.window = milestone::reach}, all.shared_bytes()),
          [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
