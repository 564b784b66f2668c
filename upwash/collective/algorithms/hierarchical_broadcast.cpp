// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hierarchical_broadcast.hpp"

#include <algorithm>
#include <optional>

namespace upwash::collective {
namespace {

/// Where one rank stands.
struct place_in_node {
  int ranks_per_node;
  int node;
  int first;       ///< rank of its node
  int size;        ///< ranks of its node
  int stands_for;  ///< the rank that stands for its node

  place_in_node(int ranks, int rank, int root, int each)
      : ranks_per_node(each),
        node(rank / each),
        first(node * each),
        size(std::min(each, ranks - first)),
        stands_for(root / each == node ? root : first) {}
};

}  // namespace

hierarchical_broadcast::hierarchical_broadcast(int ranks, int rank, int root, int ranks_per_node,
                                               std::uint64_t bytes, const parameters& chosen,
                                               bool in_place)
    : levels_([&] {
        const place_in_node here(ranks, rank, root, ranks_per_node);
        const int nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
        const int root_node = root / ranks_per_node;
        std::optional<tree_broadcast> among_nodes;
        if (rank == here.stands_for) {
          among_nodes.emplace(nodes, here.node, root_node, bytes,
                              tree_broadcast::parameters{chosen.among_nodes, chosen.segment_bytes},
                              in_place);
        }
        const tree_broadcast inside(here.size, rank - here.first, here.stands_for - here.first,
                                    bytes, {chosen.inside, chosen.segment_bytes}, true);
        return levels(
            among_nodes,
            {.first = 0, .stride = ranks_per_node, .odd_position = root_node, .odd_rank = root},
            inside, {.first = here.first});
      }()) {}

}  // namespace upwash::collective
