// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What hierarchical algorithms share: the counters by which members of a node meet, where a rank is
// on its node, the phases, and what all of them need.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/hierarchical.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective::detail {

enum node_counter : std::uint32_t { mates_came, leader_done, node_counters };

/// Steps of a part that wait for nothing wait for what comes before it, some steps further back
/// than the part itself ever looks.
inline constexpr std::uint32_t before_a_part = 4;

/// Where a rank is on its node.
struct node_place {
  explicit node_place(const hierarchical_call& of) noexcept
      : nodes(*of.nodes), node(nodes.node_of(of.rank)), place(nodes.place_of(of.rank)) {}

  const model::node_map& nodes;
  int node;
  int place;

  [[nodiscard]] int size() const noexcept { return nodes.size_of(node); }
  [[nodiscard]] int mate(int at) const noexcept { return nodes.rank_at(node, at); }
  /// How far the counter of a leader comes: all others of its node.
  [[nodiscard]] std::uint64_t others() const noexcept {
    return static_cast<std::uint64_t>(size() - 1);
  }
};

/// What is gone through one behind the other, each with a frame only meanwhile.
enum class node_phase : std::uint8_t { inside, among_leaders, from_leaders, between_pieces };

inline schedule::steps no_steps(schedule::script& /*out*/) { co_return; }

/// What all of them need, with the window and scratch of what leaders do.
[[nodiscard]] inline schedule::needs needs_of(const schedule::needs& among,
                                              std::uint64_t shared_bytes) {
  return {.window = among.window + before_a_part,
          .scratch_bytes = among.scratch_bytes,
          .shared_bytes = shared_bytes,
          .counters = node_counters,
          .inside_nodes = true};
}

}  // namespace upwash::collective::detail
