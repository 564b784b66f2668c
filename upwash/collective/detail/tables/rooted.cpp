// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/collective/algorithms/long_broadcasts.hpp"
#include "upwash/collective/algorithms/reduces.hpp"
#include "upwash/collective/algorithms/trees_of_blocks.hpp"
#include "upwash/collective/detail/tables/one_buffer.hpp"
#include "upwash/collective/detail/tables/tables.hpp"
#include "upwash/collective/detail/tables/trees.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

struct broadcast_down {
  static generator make(const problem& call, const segmented_tree& tree, int rank) {
    return tree_broadcast(call.ranks, rank, call.root, call.bytes, {tree.shape, tree.segment_bytes},
                          call.in_place);
  }
};

struct reduce_up {
  static generator make(const problem& call, const segmented_tree& tree, int rank) {
    return in_one_buffer(call, rank,
                         tree_reduce(call.ranks, rank, call.root, call.bytes, call.element_bytes,
                                     {tree.shape, tree.segment_bytes, !call.commutative}),
                         landing::not_placed);
  }
};

struct scatter_down {
  static generator make(const problem& call, const segmented_tree& tree, int rank) {
    return in_one_buffer(call, rank,
                         tree_scatter(call.ranks, rank, call.root, call.bytes, tree.shape));
  }
};

struct gather_up {
  static generator make(const problem& call, const segmented_tree& tree, int rank) {
    return in_one_buffer(call, rank,
                         tree_gather(call.ranks, rank, call.root, call.bytes, tree.shape));
  }
};

constexpr parameter hierarchical_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree among nodes"},
    {"inner", 2, most_ranks, 2, "radix of the trees inside nodes"},
    segment_parameter,
};

constexpr parameter hierarchical_kary_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree among nodes"},
    {"inner", 1, most_ranks, 2, "children of a rank inside nodes; 1: chains"},
    segment_parameter,
};

constexpr parameter double_tree_parameters[] = {
    {"segment", 0, most_bytes, 8192, "bytes sent at a time; 0: half of all", model::trial::sizes},
};

constexpr parameter scatter_all_gather_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree that scatters"},
};

/// `Inside` makes the shape inside nodes of its parameter.
template <model::tree_shape (*Inside)(int)>
void add_hierarchical(registry& to, std::string_view name, std::span<const parameter> parameters,
                      std::string_view doc) {
  to.add({.of = kind::broadcast,
          .is = {.name = name,
                 .parameters = parameters,
                 .doc = doc,
                 .source = "Nishtala et al. 2009, trees aware of the hierarchy"},
          .make =
              [](const problem& call, const values& with, int rank) {
                const broadcast_trees chosen{model::knomial_tree(static_cast<int>(with[0])),
                                             Inside(static_cast<int>(with[1])), with[2]};
                return hierarchical_broadcast(call.ranks, rank, call.root, call.ranks_per_node,
                                              call.bytes, chosen, call.in_place);
              },
          .objection =
              [](const problem& call, const values& with) {
                return objection_to_segments("hierarchical", call, with[2]);
              }});
}

void add_broadcasts(registry& to) {
  add_segmented_trees<broadcast_down>(to, kind::broadcast);
  add_hierarchical<model::knomial_tree>(
      to, "hierarchical", hierarchical_parameters,
      "a tree among nodes, then one inside each, pipelined by segments");
  add_hierarchical<model::kary_tree>(
      to, "hierarchical_kary", hierarchical_kary_parameters,
      "a k-nomial tree among nodes, then a k-ary one inside each, pipelined by segments");
  to.add({.of = kind::broadcast,
          .is = {.name = "double_tree",
                 .parameters = double_tree_parameters,
                 .doc = "segments in turn down two trees; who is inside one is a leaf of the other",
                 .source = "Sanders, Speck and Traeff 2009"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return double_tree_broadcast(call.ranks, rank, call.root, call.bytes, with[0],
                                             call.in_place);
              },
          .objection =
              [](const problem& call, const values& with) {
                return objection_to_segments("double_tree", call, with[0]);
              }});
  to.add({.of = kind::broadcast,
          .is = {.name = "scatter_all_gather",
                 .parameters = scatter_all_gather_parameters,
                 .doc = "P blocks down a tree, then round a ring",
                 .source = "Barnett et al. 1994; Thakur, Rabenseifner and Gropp 2005"},
          .make = [](const problem& call, const values& with, int rank) {
            return scatter_all_gather_broadcast(call.ranks, rank, call.root, call.bytes,
                                                model::knomial_tree(static_cast<int>(with[0])),
                                                call.in_place);
          }});
}

}  // namespace

void add_rooted(registry& to) {
  add_broadcasts(to);
  add_whole_trees<scatter_down>(to, kind::scatter);
  add_whole_trees<gather_up>(to, kind::gather);
  add_segmented_trees<reduce_up>(to, kind::reduce);
  to.add({.of = kind::reduce,
          .is = {.name = "ring",
                 .parameters = {},
                 .requirements = model::needs_commutative,
                 .doc = "blocks combined on their way round the ring, then sent to the root",
                 .source = "Rabenseifner 2004; Patarasuk and Yuan 2009"},
          .make = [](const problem& call, const values&, int rank) {
            return in_one_buffer(
                call, rank,
                ring_reduce(call.ranks, rank, call.root, call.bytes / call.element_bytes,
                            call.element_bytes, call.in_place));
          }});
}

}  // namespace upwash::collective::detail
