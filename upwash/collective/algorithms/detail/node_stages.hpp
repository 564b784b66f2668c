// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each node has something for each other one: in stage d, from 1 on, for the one d further. The
// members of a node lead in turn, so all share the work where there are as many stages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/collective/algorithms/blocks.hpp"
#include "upwash/collective/algorithms/detail/node_phases.hpp"

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

/// Until the stage's leader has what comes in it.
[[nodiscard]] inline schedule::await_step wait_for(schedule::script& out, const node_place& here,
                                                   const node_stage& at) {
  const schedule::await_step done =
      out.await(leader_done, std::uint64_t{at.turn} + 1).in_round(at.edge + 1);
  return at.leader == here.place ? done : done.of_peer(here.mate(at.leader));
}

/// So many stages one member of a node leads, at most.
[[nodiscard]] inline std::uint64_t most_turns(const model::node_map& nodes, int node) noexcept {
  const auto size = static_cast<std::uint64_t>(nodes.size_of(node));
  return (static_cast<std::uint64_t>(nodes.nodes()) - 1 + size - 1) / size;
}

/// Behind the last of the ranks from number `first` on that follow each other.
[[nodiscard]] inline std::size_t end_of_run(std::span<const int> ranks,
                                            std::size_t first) noexcept {
  std::size_t end = first + 1;
  while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
  return end;
}

}  // namespace upwash::collective::detail
