// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hierarchical_broadcast.hpp"

#include <optional>

#include "upwash/collective/algorithms/composed_broadcast.hpp"

namespace upwash::collective {
hierarchical_broadcast::hierarchical_broadcast(int ranks, int rank, int root, int ranks_per_node,
                                               std::uint64_t bytes, const parameters& chosen,
                                               bool in_place)
    : levels_([&] {
        const group_place here(ranks, rank, root, ranks_per_node);
        const int nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
        const int root_node = root / ranks_per_node;
        std::optional<tree_broadcast> among_nodes;
        if (rank == here.stands_for) {
          among_nodes.emplace(nodes, here.group, root_node, bytes,
                              tree_broadcast::parameters{chosen.among_nodes, chosen.segment_bytes},
                              in_place);
        }
        const tree_broadcast inside(here.size, rank - here.first, here.stands_for - here.first,
                                    bytes, {chosen.inside, chosen.segment_bytes}, true);
        return levels(among_nodes, here.representatives(root), inside, {.first = here.first});
      }()) {}

}  // namespace upwash::collective
