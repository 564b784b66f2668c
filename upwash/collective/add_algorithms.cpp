// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm of this folder, as a row of the table: parameters, then the row.
#include "upwash/collective/algorithms/central_counter_barrier.hpp"
#include "upwash/collective/algorithms/dissemination_barrier.hpp"
#include "upwash/collective/algorithms/doubling_scan.hpp"
#include "upwash/collective/algorithms/hierarchical_broadcast.hpp"
#include "upwash/collective/algorithms/k_prefix_all_gather.hpp"
#include "upwash/collective/algorithms/knomial_broadcast.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all.hpp"
#include "upwash/collective/algorithms/mesh_all_to_all_v.hpp"
#include "upwash/collective/algorithms/ring_all_reduce.hpp"
#include "upwash/collective/algorithms/single_copy_all_gather.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {
namespace {

using model::parameter;
using model::values;
using schedule::generator;

/// Larger vectors than any memory, and what counts of bytes may still be added to.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48U;
constexpr std::uint64_t most_ranks = (std::uint64_t{1} << 31U) - 1;

constexpr parameter knomial_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

constexpr parameter hierarchical_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree among nodes"},
    {"inner", 2, most_ranks, 2, "radix of the trees inside nodes"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

constexpr parameter k_prefix_parameters[] = {
    {"k", 1, most_ranks, 8, "ranks in a partition; the largest power of two in it that divides P"},
    {"pacing", 0, most_ranks, 0, "messages between two barriers; 0: none"},
};

constexpr parameter mesh_parameters[] = {
    {"dimensions", 1, 4, 3, "of the grid; 1: direct"},
};

void add_barriers(registry& to) {
  to.add({.of = kind::barrier,
          .is = {.name = "dissemination",
                 .parameters = {},
                 .doc = "in round k tell the rank 2^k further",
                 .source = "Hensgen, Finkel and Manber 1988"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(dissemination_barrier(call.ranks, rank));
          }});
  to.add({.of = kind::barrier,
          .is = {.name = "central",
                 .parameters = {},
                 .doc = "all count up one counter and watch it; the baseline of thread libraries",
                 .source = "Nishtala et al. 2009, barriers"},
          .make = [](const problem& call, const values&, int /*rank*/) {
            return generator(central_counter_barrier(call.ranks));
          }});
}

void add_broadcasts(registry& to) {
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

/// A grid of a fixed number of dimensions, under the name that the literature has for it.
template <int Dimensions>
schedule::generator mesh_of(const problem& call, const values&, int rank) {
  return generator(mesh_all_to_all(call.ranks, rank, call.bytes, {Dimensions}));
}
template <int Dimensions>
schedule::generator mesh_v_of(const problem& call, const values&, int rank) {
  return generator(mesh_all_to_all_v(call.ranks, rank, {.dimensions = Dimensions}));
}

void add_mesh(registry& to, std::string_view name, std::string_view doc,
              decltype(algorithm::make) uniform, decltype(algorithm::make) uneven) {
  to.add({.of = kind::all_to_all,
          .is = {.name = name, .parameters = {}, .doc = doc, .source = "Kumar 2005, 3.1"},
          .make = uniform});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = name, .parameters = {}, .doc = doc, .source = "Kumar 2005, 3.1"},
          .make = uneven});
}

void add_exchanges(registry& to) {
  add_mesh(to, "direct", "each block in a message of its own", mesh_of<1>, mesh_v_of<1>);
  add_mesh(to, "mesh2d", "messages combined along rows, then columns", mesh_of<2>, mesh_v_of<2>);
  add_mesh(to, "mesh3d", "messages combined along the lines of a cube", mesh_of<3>, mesh_v_of<3>);
  to.add({.of = kind::all_to_all,
          .is = {.name = "mesh",
                 .parameters = mesh_parameters,
                 .doc = "messages combined along the lines of a grid",
                 .source = "Kumar 2005, 3.1"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(
                mesh_all_to_all(call.ranks, rank, call.bytes, {static_cast<int>(with[0])}));
          }});
  to.add({.of = kind::all_to_all_v,
          .is = {.name = "mesh",
                 .parameters = mesh_parameters,
                 .doc = "as for equal lengths; messages carry the lengths",
                 .source = "Kumar 2005, 3.1"},
          .make = [](const problem& call, const values& with, int rank) {
            return generator(
                mesh_all_to_all_v(call.ranks, rank, {.dimensions = static_cast<int>(with[0])}));
          }});
  to.add({.of = kind::many_to_many,
          .is = {.name = "sparse",
                 .parameters = {},
                 .doc = "acknowledged sends, then a barrier: nothing comes behind it",
                 .source = "Hoefler, Siebert and Lumsdaine 2010 (NBX)"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(sparse_exchange(call.ranks, rank));
          }});
}

void add_reductions(registry& to) {
  to.add({.of = kind::all_reduce,
          .is = {.name = "ring",
                 .parameters = {},
                 .requirements = model::needs_commutative,
                 .doc = "blocks travel round the ring, combined on their way",
                 .source = "Patarasuk and Yuan 2009"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(ring_all_reduce(call.ranks, rank, call.bytes / call.element_bytes,
                                             call.element_bytes, call.in_place));
          }});
  to.add({.of = kind::scan,
          .is = {.name = "doubling",
                 .parameters = {},
                 .doc = "in round k hand what is combined to the rank 2^k further",
                 .source = "Hillis and Steele 1986"},
          .make = [](const problem& call, const values&, int rank) {
            return generator(doubling_scan(call.ranks, rank, call.bytes, call.in_place));
          }});
}

}  // namespace

void add_algorithms(registry& to) {
  add_barriers(to);
  add_broadcasts(to);
  add_all_gathers(to);
  add_exchanges(to);
  add_reductions(to);
}

}  // namespace upwash::collective
