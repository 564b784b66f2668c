// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls with a root by nodes: who leads a node is the first of it, and the root of its own; leaders
// are a tree. What a leader has of its subtree lies in its scratch, from its own node on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/node_pieces.hpp"
#include "upwash/model/tree.hpp"

namespace upwash::collective::detail {

struct node_root : node_pieces {
  node_root(const rooted_by_nodes& call, std::uint64_t blocks_of_one) noexcept
      : node_pieces(call.of, blocks_of_one), root(call.root), radix(call.radix) {}

  int root;
  int radix;

  [[nodiscard]] int root_node() const noexcept { return of.nodes->node_of(root); }
  /// The place of who leads a node.
  [[nodiscard]] int leader_of(int node) const noexcept {
    return node == root_node() ? of.nodes->place_of(root) : 0;
  }
  [[nodiscard]] bool leads(const node_place& here) const noexcept {
    return here.place == leader_of(here.node);
  }
  /// The rank of who leads this node.
  [[nodiscard]] int leader(const node_place& here) const noexcept {
    return here.mate(leader_of(here.node));
  }
  /// Of nodes, below that of the root or another one.
  [[nodiscard]] model::tree_place tree(const node_place& here, int top) const {
    return {model::knomial_tree(radix), here.nodes.nodes(), top, here.node};
  }
  /// The members of so many nodes from one on, round and round.
  [[nodiscard]] std::uint64_t members_of(int first, int nodes) const noexcept {
    const auto before = of.nodes->firsts();
    const std::size_t end = static_cast<std::size_t>(first) + static_cast<std::size_t>(nodes);
    const std::size_t all = before.size() - 1;
    const std::uint64_t whole = end <= all ? 0 : before[all];
    return whole + before[end <= all ? end : end - all] - before[static_cast<std::size_t>(first)];
  }
  /// The blocks of a subtree that hangs below this one.
  [[nodiscard]] schedule::piece below(const model::tree_place& here,
                                      const model::tree_place::subtree& of_child) const noexcept {
    const int node = here.rank_of(here.position());
    return shared(members_of(node, of_child.position - here.position()),
                  members_of(here.rank_of(of_child.position), of_child.size));
  }
  [[nodiscard]] schedule::piece subtree(const model::tree_place& here) const noexcept {
    return shared(0, members_of(here.rank_of(here.position()), here.size()));
  }
  [[nodiscard]] schedule::embedding among_leaders(schedule::mark before) const noexcept {
    return {.among = {.odd_position = root_node(), .odd_rank = root},
            .listed = of.nodes->of_place(0),
            .first_edge = first_edge(),
            .first_round = 1,
            .entry = before};
  }
};

/// A mate of a leader lays out what it has.
inline schedule::steps lay_at_leader(schedule::script& out, node_root all, schedule::piece from,
                                     schedule::piece into) {
  const schedule::mark mine = co_yield all.begins(out.copy(from, into));
  co_yield out.signal(mates_came).to(all.leader(node_place(all.of))).after(mine);
}

}  // namespace upwash::collective::detail
