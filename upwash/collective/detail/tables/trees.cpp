// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/tables/trees.hpp"
#include "upwash/collective/algorithms/reduces.hpp"
#include "upwash/collective/algorithms/tree_barriers.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {

using model::parameter;
using model::values;
using schedule::generator;

namespace {

constexpr parameter knomial_up_down_parameters[] = {
    {"up", 2, most_ranks, 2, "radix of the tree up"},
    {"down", 2, most_ranks, 2, "radix of the tree down"},
    segment_parameter,
};

constexpr parameter kary_up_down_parameters[] = {
    {"up", 1, most_ranks, 2, "children of a rank in the tree up; 1: a chain"},
    {"down", 1, most_ranks, 2, "children of a rank in the tree down; 1: a chain"},
    segment_parameter,
};

struct barrier_by_messages {
  static generator make(const problem& call, const segmented_tree& tree, int rank) {
    return tree_barrier(call.ranks, rank, 0, tree.shape);
  }
};

constexpr parameter root_parameter{
    "root", 0, most_ranks, 0, "of the tree; modulo P", model::trial::none};
constexpr parameter arrival_parameter{"pull_arrival", 0, 1, 0,
                                      "1: ranks watch their children's counters, not their own"};
constexpr parameter release_parameter{"pull_release", 0, 1, 0,
                                      "1: ranks watch their parent's counter, not their own"};

constexpr parameter signals_knomial_parameters[] = {{"k", 2, most_ranks, 2, "radix of the tree"},
                                                    root_parameter,
                                                    arrival_parameter,
                                                    release_parameter};

constexpr parameter signals_kary_parameters[] = {
    {"k", 1, most_ranks, 2, "children of a rank; at least P - 1: flat"},
    root_parameter,
    arrival_parameter,
    release_parameter};

/// `Shape` makes the shape of its parameter.
template <model::tree_shape (*Shape)(int)>
void add_signals(registry& to, std::string_view name, std::span<const parameter> parameters,
                 std::string_view doc) {
  to.add({.of = kind::barrier,
          .is = {.name = name,
                 .parameters = parameters,
                 .doc = doc,
                 .source = "Nishtala et al. 2009, barrier (tree algorithm)"},
          .make = [](const problem& call, const values& with, int rank) {
            const auto root = static_cast<int>(with[1] % static_cast<std::uint64_t>(call.ranks));
            return signal_tree_barrier(
                call.ranks, rank, root,
                {.shape = Shape(static_cast<int>(with[0])),
                 .arrival = with[2] != 0 ? signalling::pull : signalling::push,
                 .release = with[3] != 0 ? signalling::pull : signalling::push});
          }});
}

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
                return reduce_broadcast(
                    call.ranks, rank, call.bytes, call.element_bytes,
                    {Shape(static_cast<int>(with[0])), Shape(static_cast<int>(with[1])), with[2]},
                    call.in_place);
              },
          .objection =
              [](const problem& call, const values& with) {
                return objection_to_segments("reduce_broadcast", call, with[2]);
              }});
}

}  // namespace

void add_trees(registry& to) {
  add_whole_trees<barrier_by_messages>(to, kind::barrier);
  add_signals<model::knomial_tree>(to, "signals", signals_knomial_parameters,
                                   "counters up a k-nomial tree and down again");
  add_signals<model::kary_tree>(to, "signals_kary", signals_kary_parameters,
                                "counters up a k-ary tree and down again");
  add_up_down<model::knomial_tree>(to, "reduce_broadcast", knomial_up_down_parameters,
                                   "combined up a k-nomial tree to rank 0, then down one");
  add_up_down<model::kary_tree>(to, "reduce_broadcast_kary", kary_up_down_parameters,
                                "combined up a k-ary tree to rank 0, then down one");
}

}  // namespace upwash::collective::detail
