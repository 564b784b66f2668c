// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hierarchical_broadcast.hpp"
#include "upwash/collective/algorithms/knomial_broadcast.hpp"
#include "upwash/collective/detail/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter knomial_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

constexpr parameter hierarchical_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree among nodes"},
    {"inner", 2, most_ranks, 2, "radix of the trees inside nodes"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

}  // namespace

void add_rooted(registry& to) {
  to.add({.of = kind::broadcast,
          .is = {.name = "knomial",
                 .parameters = knomial_parameters,
                 .doc = "a tree of radix k; segments go down one behind the other",
                 .source = "Nishtala et al. 2009, trees"},
          .make = [](const problem& call, const values& with, int rank) {
            const knomial_broadcast::parameters chosen{static_cast<int>(with[0]), with[1]};
            return generator(
                knomial_broadcast(call.ranks, rank, call.root, call.bytes, chosen, call.in_place));
          }});
  to.add({.of = kind::broadcast,
          .is = {.name = "hierarchical",
                 .parameters = hierarchical_parameters,
                 .doc = "a tree among nodes, then one inside each, pipelined by segments",
                 .source = "Nishtala et al. 2009, trees aware of the hierarchy"},
          .make = [](const problem& call, const values& with, int rank) {
            const hierarchical_broadcast::parameters chosen{static_cast<int>(with[0]),
                                                            static_cast<int>(with[1]), with[2]};
            return generator(hierarchical_broadcast(call.ranks, rank, call.root,
                                                    call.ranks_per_node, call.bytes, chosen,
                                                    call.in_place));
          }});
}

}  // namespace upwash::collective::detail
