// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks, where a node's ranks are near. Idea: one rank stands for
// each node, the root for its own; a tree among those, then one in each node, of any shapes,
// segment by segment. Cost: P-1 messages a segment in all, nodes - 1 of them between nodes.
// Restrictions: a node's ranks are consecutive; only the last may have fewer. Source: Nishtala et
// al. 2009, "leverage shared memory".
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/tree_broadcast.hpp"
#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

class hierarchical_broadcast {
 public:
  struct parameters {
    model::tree_shape among_nodes{};
    model::tree_shape inside{};
    std::uint64_t segment_bytes = 0;  ///< 0: one segment
  };

  hierarchical_broadcast(int ranks, int rank, int root, int ranks_per_node, std::uint64_t bytes,
                         const parameters& chosen, bool in_place);

  bool next(schedule::step& out, schedule::tape& on) { return levels_.next(out, on); }
  [[nodiscard]] schedule::repetition repeats() const { return levels_.repeats(); }
  void skip(std::uint64_t segments) { levels_.skip(segments); }
  [[nodiscard]] std::uint32_t window() const { return levels_.window(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return levels_.scratch_bytes(); }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }

 private:
  using levels = schedule::pipeline<tree_broadcast, tree_broadcast>;
  levels levels_;
};

}  // namespace upwash::collective
