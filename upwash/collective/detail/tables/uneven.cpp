// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of blocks of different lengths. What a call takes depends on its lengths: priced are
// alike ones of the mean.
#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/reduce_scatters.hpp"
#include "upwash/collective/algorithms/rooted_v.hpp"
#include "upwash/collective/algorithms/trees_of_blocks.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter dissemination_parameters[] = {
    {"k", 2, most_radix, 2, "radix: in each round to k - 1 ranks"},
};
constexpr parameter knomial_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree"},
};

blocks given(const problem& call) { return blocks::as_given(call.ranks, call.element_bytes); }
blocks alike(const problem& call) { return blocks::alike(call.ranks, call.bytes); }

model::tree_shape tree_of(const values& with) {
  return model::knomial_tree(static_cast<int>(with[0]));
}

void add_all_gathers_v(registry& to) {
  to.add(
      {.of = kind::all_gather_v,
       .is = {.name = "ring",
              .parameters = {},
              .doc = "blocks travel from neighbour to neighbour",
              .source = "Thakur, Rabenseifner and Gropp 2005"},
       .make = [](const problem& call, const values&,
                  int rank) { return ring_all_gather_v(given(call), rank, call.in_place); },
       .priced_as = [](const problem& call, const values&,
                       int rank) { return ring_all_gather_v(alike(call), rank, call.in_place); }});
  to.add({.of = kind::all_gather_v,
          .is = {.name = "dissemination",
                 .parameters = dissemination_parameters,
                 .doc = "in round r the blocks of k^r ranks from k - 1 ranks; turned at the end",
                 .source = "Bruck et al. 1997"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return dissemination_all_gather(given(call), rank, static_cast<int>(with[0]),
                                                call.in_place);
              },
          .priced_as =
              [](const problem& call, const values& with, int rank) {
                return dissemination_all_gather(alike(call), rank, static_cast<int>(with[0]),
                                                call.in_place);
              }});
  to.add({.of = kind::all_gather_v,
          .is = {.name = "direct",
                 .parameters = {},
                 .doc = "each block straight from its owner to every rank",
                 .source = "the definition"},
          .make = [](const problem& call, const values&,
                     int rank) { return direct_all_gather_v(given(call), rank, call.in_place); },
          .priced_as =
              [](const problem& call, const values&, int rank) {
                return direct_all_gather_v(alike(call), rank, call.in_place);
              }});
}

void add_reduce_scatters_v(registry& to) {
  to.add({.of = kind::reduce_scatter_v,
          .is = {.name = "pairwise",
                 .parameters = {},
                 .doc = "each block straight to its owner",
                 .source = "Thakur, Rabenseifner and Gropp 2005"},
          .make = [](const problem& call, const values&,
                     int rank) { return pairwise_reduce_scatter(given(call), rank); },
          .priced_as = [](const problem& call, const values&,
                          int rank) { return pairwise_reduce_scatter(alike(call), rank); }});
  to.add({.of = kind::reduce_scatter_v,
          .is = {.name = "ring",
                 .parameters = {},
                 .requirements = model::needs_commutative,
                 .doc = "blocks travel round the ring to their owners, combined on their way",
                 .source = "Patarasuk and Yuan 2009"},
          .make = [](const problem& call, const values&,
                     int rank) { return ring_reduce_scatter(given(call), rank); },
          .priced_as = [](const problem& call, const values&,
                          int rank) { return ring_reduce_scatter(alike(call), rank); }});
}

void add_gathers_v(registry& to) {
  to.add({.of = kind::gather_v,
          .is = {.name = "direct",
                 .parameters = {},
                 .doc = "each block straight to the root",
                 .source = "the definition"},
          .make = [](const problem& call, const values&,
                     int rank) { return direct_gather_v(given(call), call.root, rank); },
          .priced_as =
              [](const problem& call, const values&, int rank) {
                return generator(
                    tree_gather(call.ranks, rank, call.root, call.bytes, model::flat_tree()));
              }});
  to.add(
      {.of = kind::gather_v,
       .is = {.name = "knomial",
              .parameters = knomial_parameters,
              .doc = "up a tree, the lengths first",
              .source = "Nishtala et al. 2009, trees"},
       .make = [](const problem& call, const values& with,
                  int rank) { return tree_gather_v(given(call), call.root, rank, tree_of(with)); },
       .priced_as =
           [](const problem& call, const values& with, int rank) {
             return generator(tree_gather(call.ranks, rank, call.root, call.bytes, tree_of(with)));
           }});
}

void add_scatters_v(registry& to) {
  to.add({.of = kind::scatter_v,
          .is = {.name = "direct",
                 .parameters = {},
                 .doc = "each block straight from the root",
                 .source = "the definition"},
          .make = [](const problem& call, const values&,
                     int rank) { return direct_scatter_v(given(call), call.root, rank); },
          .priced_as =
              [](const problem& call, const values&, int rank) {
                return generator(
                    tree_scatter(call.ranks, rank, call.root, call.bytes, model::flat_tree()));
              }});
  to.add(
      {.of = kind::scatter_v,
       .is = {.name = "knomial",
              .parameters = knomial_parameters,
              .doc = "down a tree, the lengths first",
              .source = "Nishtala et al. 2009, trees"},
       .make = [](const problem& call, const values& with,
                  int rank) { return tree_scatter_v(given(call), call.root, rank, tree_of(with)); },
       .priced_as =
           [](const problem& call, const values& with, int rank) {
             return generator(tree_scatter(call.ranks, rank, call.root, call.bytes, tree_of(with)));
           }});
}

}  // namespace

void add_uneven(registry& to) {
  add_all_gathers_v(to);
  add_reduce_scatters_v(to);
  add_gathers_v(to);
  add_scatters_v(to);
}

}  // namespace upwash::collective::detail
