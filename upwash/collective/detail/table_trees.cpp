// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/reduce_broadcast.hpp"
#include "upwash/collective/detail/tables.hpp"
#include "upwash/collective/detail/trees.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter knomial_up_down_parameters[] = {
    {"up", 2, most_ranks, 2, "radix of the tree up"},
    {"down", 2, most_ranks, 2, "radix of the tree down"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

constexpr parameter kary_up_down_parameters[] = {
    {"up", 1, most_ranks, 2, "children of a rank in the tree up; 1: a chain"},
    {"down", 1, most_ranks, 2, "children of a rank in the tree down; 1: a chain"},
    {"segment", 0, most_bytes, 0, "bytes sent at a time; 0: all at once"},
};

/// `Shape` makes the shapes of the parameters.
template <model::tree_shape (*Shape)(int)>
void add_up_down(registry& to, std::string_view name, std::span<const parameter> parameters,
                 std::string_view doc) {
  to.add({.of = kind::all_reduce,
          .is = {.name = name,
                 .parameters = parameters,
                 .doc = doc,
                 .source = "Nishtala et al. 2009, trees"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return generator(reduce_broadcast(
                    call.ranks, rank, call.bytes, call.element_bytes,
                    {Shape(static_cast<int>(with[0])), Shape(static_cast<int>(with[1])), with[2]},
                    call.in_place));
              },
          .objection =
              [](const problem& call, const values& with) {
                return objection_to_segments("reduce_broadcast", call, with[2]);
              }});
}

}  // namespace

void add_trees(registry& to) {
  add_up_down<model::knomial_tree>(to, "reduce_broadcast", knomial_up_down_parameters,
                                   "combined up a k-nomial tree to rank 0, then down one");
  add_up_down<model::kary_tree>(to, "reduce_broadcast_kary", kary_up_down_parameters,
                                "combined up a k-ary tree to rank 0, then down one");
}

}  // namespace upwash::collective::detail
