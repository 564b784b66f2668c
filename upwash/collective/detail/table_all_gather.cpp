// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/k_prefix_all_gather.hpp"
#include "upwash/collective/algorithms/single_copy_all_gather.hpp"
#include "upwash/collective/detail/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter k_prefix_parameters[] = {
    {"k", 1, most_ranks, 8, "ranks in a partition; the largest power of two in it that divides P"},
    {"pacing", 0, most_ranks, 0, "messages between two barriers; 0: none"},
};

}  // namespace

void add_all_gathers(registry& to) {
  to.add({.of = kind::all_gather,
          .is = {.name = "k_prefix",
                 .parameters = k_prefix_parameters,
                 .doc = "partitions of k ranks exchange, and hand on to the next partition",
                 .source = "Kumar 2005, 4.3.3 and 4.4"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(k_prefix_all_gather(call.ranks, rank, call.bytes, {with[0], with[1]},
                                                 call.in_place));
          }});
  to.add({.of = kind::all_gather,
          .is = {.name = "single_copy",
                 .parameters = {},
                 .requirements = model::needs_direct_access,
                 .doc = "each copies the others' blocks straight out of their memory",
                 .source = "Nishtala et al. 2009, collectives on shared memory"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(single_copy_all_gather(call.ranks, rank, call.bytes, call.in_place));
          }});
}

}  // namespace upwash::collective::detail
