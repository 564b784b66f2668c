// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each node has something for each other one: in stage d, from 1 on, for the one d further. The
// members of a node lead in turn, so all share the work where there are as many stages.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/node_pieces.hpp"

namespace upwash::collective::detail {

/// A stage as the members of a node see it.
struct node_stage {
  node_stage(const node_place& here, int distance) noexcept
      : ahead(wrapped(std::int64_t{here.node} + distance, here.nodes.nodes())),
        behind(wrapped(std::int64_t{here.node} - distance, here.nodes.nodes())),
        leader((distance - 1) % here.size()),
        turn(static_cast<std::uint32_t>((distance - 1) / here.size())),
        edge(static_cast<std::uint32_t>(distance - 1)) {}

  int ahead;           ///< the node that it sends to
  int behind;          ///< the node that it receives from
  int leader;          ///< the place of who does
  std::uint32_t turn;  ///< so many stages the leader has led before
  std::uint32_t edge;

  /// Whom the leader sends to, and receives from.
  [[nodiscard]] int to(const model::node_map& nodes) const noexcept { return leads(nodes, ahead); }
  [[nodiscard]] int from(const model::node_map& nodes) const noexcept {
    return leads(nodes, behind);
  }

 private:
  [[nodiscard]] int leads(const model::node_map& nodes, int node) const noexcept {
    return nodes.rank_at(node, static_cast<int>(edge) % nodes.size_of(node));
  }
};

/// The piece where the mate with that place has it.
[[nodiscard]] inline schedule::piece at_mate(const node_place& here, int place,
                                             const schedule::piece& what) noexcept {
  return place == here.place ? what : what.of_rank(here.mate(place));
}

/// So many stages the member of a node with that place leads.
[[nodiscard]] inline std::uint64_t turns_of(const model::node_map& nodes, int node,
                                            int place) noexcept {
  const int size = nodes.size_of(node);
  return static_cast<std::uint64_t>((nodes.nodes() - 1 - place + size - 1) / size);
}

/// Until the stage's leader has what comes in it.
[[nodiscard]] inline schedule::await_step wait_for(schedule::script& out, const node_pieces& all,
                                                   const node_place& here, const node_stage& at) {
  const std::uint64_t things = turns_of(here.nodes, here.node, at.leader);
  return wait_for_mate(out, all, here, at.leader, things, std::uint64_t{at.turn} + 1)
      .in_round(at.edge + 1);
}

/// The most that one leads.
[[nodiscard]] inline std::uint64_t most_turns(const model::node_map& nodes, int node) noexcept {
  return turns_of(nodes, node, 0);
}

}  // namespace upwash::collective::detail
