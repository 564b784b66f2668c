// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "upwash/collective/algorithms/detail/node_phases.hpp"
#include "upwash/collective/algorithms/hierarchical.hpp"
#include "upwash/model/tree.hpp"

namespace upwash::collective {

using detail::by_phases;
using detail::needs_of;
using detail::no_steps;
using detail::node_phase;
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

struct rooted_reduction {
  hierarchical_call of;
  int root;
  int radix;
  bool ordered;

  [[nodiscard]] int root_node() const noexcept { return of.nodes->node_of(root); }
  /// The place of who leads a node.
  [[nodiscard]] int leader_of(int node) const noexcept {
    return node == root_node() ? of.nodes->place_of(root) : 0;
  }
  [[nodiscard]] piece contribution() const noexcept {
    return {of.in_place && of.rank == root ? buffer::output : buffer::input, 0, of.bytes};
  }
  [[nodiscard]] piece laid_out(const node_place& here, int at) const noexcept {
    const piece own{buffer::shared, 0, of.bytes};
    return at == here.place ? own : own.of_rank(here.mate(at));
  }
  [[nodiscard]] piece operand(const node_place& here, int at) const noexcept {
    return at == here.place ? contribution() : laid_out(here, at);
  }
  [[nodiscard]] bool leads(const node_place& here) const noexcept {
    return here.place == leader_of(here.node);
  }
  /// Of nodes; the order of operands is kept from the first one on.
  [[nodiscard]] model::tree_place tree(const node_place& here) const {
    return {model::knomial_tree(radix), here.nodes.nodes(), ordered ? 0 : root_node(), here.node};
  }
  /// One message comes while another is combined.
  [[nodiscard]] piece incoming(int child) const noexcept {
    return {buffer::scratch, static_cast<std::uint64_t>(child % 2) * of.bytes, of.bytes};
  }
  [[nodiscard]] embedding embedded(node_phase now, mark combined) const noexcept {
    const node_place here(of);
    if (now != node_phase::among_leaders || !leads(here)) return {};
    return {.among = {.odd_position = root_node(), .odd_rank = root},
            .listed = here.nodes.of_place(0),
            .first_round = 1,
            .entry = combined};
  }
};

schedule::local_step combine(script& out, const rooted_reduction& all, const node_place& here,
                             int at) {
  const piece sum = all.laid_out(here, here.place);
  const piece next = all.operand(here, at);
  return at == 1 ? out.reduce(all.operand(here, 0), next, sum) : out.reduce(sum, next, sum);
}

steps meet_leader(script& out, rooted_reduction all) {
  const node_place here(all.of);
  const int leader = all.leader_of(here.node);
  if (here.place != leader || here.others() == 0) {
    const mark mine = co_yield out.copy(all.contribution(), all.laid_out(here, here.place));
    if (here.place != leader) co_yield out.signal(mates_came).to(here.mate(leader)).after(mine);
    co_return;
  }
  mark combined = co_yield out.await(mates_came, here.others());
  for (int at = 1; at < here.size(); ++at) {
    combined = co_yield combine(out, all, here, at).after(combined);
  }
}

/// Among nodes. A rank's messages to another one differ by their edges: up the tree, and from the
/// tree's root to another root.
steps hand_up(script& out, rooted_reduction all) {
  enum : std::uint32_t { up, to_root };
  const node_place here(all.of);
  const model::tree_place tree = all.tree(here);
  const piece sum = all.laid_out(here, here.place);
  const piece result{buffer::output, 0, all.of.bytes};
  mark summed = never;
  mark free[2] = {never, never};
  for (int i = 0; i < tree.children(); ++i) {
    const mark came =
        co_yield out.receive(tree.rank_of(tree.child(i).position), up, all.incoming(i))
            .after(free[i % 2]);
    summed = free[i % 2] =
        co_yield out.reduce(sum, all.incoming(i), sum).in_round(up).after(came, summed);
  }
  const int root = all.root_node();
  if (!tree.is_root()) {
    co_yield out.send(tree.parent(), up, sum).after(summed);
    if (here.node == root) co_yield out.receive(tree.root(), to_root, result).after(summed);
  } else if (here.node == root) {
    co_yield out.copy(sum, result).after(summed);
  } else {
    co_yield out.send(root, to_root, sum).after(summed);
  }
}

steps begin(script& out, const rooted_reduction& all, node_phase now) {
  if (now == node_phase::inside) return meet_leader(out, all);
  const bool goes_up = now == node_phase::among_leaders && all.leads(node_place(all.of));
  return goes_up ? hand_up(out, all) : no_steps(out);
}

}  // namespace

generator hierarchical_reduce(const hierarchical_call& of, int root, int radix, bool ordered) {
  const rooted_reduction all{of, root, radix, ordered};
  const node_place here(of);
  schedule::needs inner{.window = 4};
  if (all.leads(here)) {
    const int slots = std::min(2, all.tree(here).children());
    inner.scratch_bytes = static_cast<std::uint64_t>(slots) * of.bytes;
  }
  return {needs_of(inner, of.bytes), [=](script& out) { return by_phases(out, all); }};
}

}  // namespace upwash::collective
