// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "upwash/collective/algorithms/composed_broadcast.hpp"
#include "upwash/collective/algorithms/double_tree_broadcast.hpp"
#include "upwash/collective/algorithms/one_round.hpp"
#include "upwash/collective/algorithms/scatter_all_gather_broadcast.hpp"
#include "upwash/collective/algorithms/tree_broadcast.hpp"
#include "upwash/collective/detail/tables.hpp"

namespace upwash::collective::detail {
namespace {

using model::values;
using schedule::generator;

enum outer : std::uint64_t {
  outer_knomial,
  outer_kary,
  outer_scatter_all_gather,
  outer_double_tree
};
enum inner : std::uint64_t { inner_knomial, inner_flat, inner_shared, inner_single_copy };

constexpr model::parameter composed_parameters[] = {
    {"outer", 0, 3, 0, "among groups: 0 knomial, 1 kary, 2 scatter_all_gather, 3 double_tree"},
    {"inner", 0, 3, 2, "inside groups: 0 knomial, 1 flat, 2 shared, 3 single_copy"},
    {"group", 0, most_ranks, 0, "ranks of a group, as those of a socket; 0: of a node"},
};

int ranks_per_group(const problem& call, const values& with) {
  const std::uint64_t asked =
      with[2] == 0 ? static_cast<std::uint64_t>(call.ranks_per_node) : with[2];
  return static_cast<int>(std::min(asked, static_cast<std::uint64_t>(call.ranks)));
}

template <class Outer, class Inner, class MakeOuter>
generator composed(const problem& call, int rank, const group_place& here, const MakeOuter& outer,
                   const Inner& inner) {
  std::optional<Outer> among_groups;
  if (rank == here.stands_for) among_groups.emplace(outer());
  return generator(composed_broadcast<Outer, Inner>(among_groups, here.representatives(call.root),
                                                    inner, {.first = here.first}));
}

template <class Inner>
generator with_outer(const problem& call, const values& with, int rank, const group_place& here,
                     const Inner& inner) {
  const int groups = (call.ranks + here.ranks_per_group - 1) / here.ranks_per_group;
  const int root = call.root / here.ranks_per_group;
  const auto tree = [&](const model::tree_shape& shape) {
    return composed<tree_broadcast>(
        call, rank, here,
        [&] {
          return tree_broadcast(groups, here.group, root, call.bytes, {shape, 0}, call.in_place);
        },
        inner);
  };
  switch (with[0]) {
    case outer_kary: return tree(model::kary_tree(2));
    case outer_scatter_all_gather:
      return composed<scatter_all_gather_broadcast>(
          call, rank, here,
          [&] {
            return scatter_all_gather_broadcast(groups, here.group, root, call.bytes,
                                                model::binomial_tree(), call.in_place);
          },
          inner);
    case outer_double_tree:
      return composed<double_tree_broadcast>(
          call, rank, here,
          [&] {
            return double_tree_broadcast(groups, here.group, root, call.bytes, 8192, call.in_place);
          },
          inner);
    default: return tree(model::binomial_tree());
  }
}

generator composed_of(const problem& call, const values& with, int rank) {
  const group_place here(call.ranks, rank, call.root, ranks_per_group(call, with));
  const int place = rank - here.first;
  const int root = here.stands_for - here.first;
  const auto tree = [&](const model::tree_shape& shape) {
    return with_outer(call, with, rank, here,
                      tree_broadcast(here.size, place, root, call.bytes, {shape, 0}, true));
  };
  const auto one = [&](one_round::source from) {
    return with_outer(
        call, with, rank, here,
        one_round(one_round::task::broadcast, from, {here.size, place, root, call.bytes, true}));
  };
  switch (with[1]) {
    case inner_flat: return tree(model::flat_tree());
    case inner_shared: return one(one_round::source::shared_scratch);
    case inner_single_copy: return one(one_round::source::buffer);
    default: return tree(model::binomial_tree());
  }
}

std::string objection_to_composed(const problem& call, const values& with) {
  const bool shares = with[1] == inner_shared || with[1] == inner_single_copy;
  if (shares && !call.direct_access) {
    return "composed: this inner needs ranks that load and store each other's memory";
  }
  if (with[1] == inner_shared && call.bytes > call.shared_scratch) {
    return fmt::format("composed: {} bytes are more than the {} of shared scratch", call.bytes,
                       call.shared_scratch);
  }
  return {};
}

}  // namespace

void add_composed(registry& to) {
  to.add({.of = kind::broadcast,
          .is = {.name = "composed",
                 .parameters = composed_parameters,
                 .doc = "any broadcast among groups, then any other inside each",
                 .source = "Nishtala et al. 2009, leverage shared memory"},
          .make = composed_of,
          .objection = objection_to_composed});
}

}  // namespace upwash::collective::detail
