// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/broadcasts.hpp"

#include <algorithm>

#include "upwash/collective/algorithms/detail/descent.hpp"
#include "upwash/collective/algorithms/long_broadcasts.hpp"
#include "upwash/collective/algorithms/one_round.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::collective {

using detail::cut;
using detail::descend;
using detail::descent;
using detail::tree_of_members;
using model::tree_place;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::part;
using schedule::script;
using schedule::steps;

namespace {

generator down_trees(const descent& what) {
  return {{.window = what.window(), .edges_apart = true},
          [=](script& out) { return descend(out, what); }};
}

/// Where a rank stands among groups.
struct group_place {
  int ranks_per_group;
  int groups;
  int group;
  int first;       ///< rank of its group
  int size;        ///< ranks of its group
  int stands_for;  ///< the rank that stands for its group

  group_place(int ranks, int rank, int root, int each)
      : ranks_per_group(each),
        groups((ranks + each - 1) / each),
        group(rank / each),
        first(group * each),
        size(std::min(each, ranks - first)),
        stands_for(root / each == group ? root : first) {}

  [[nodiscard]] tree_place tree_inside(const model::tree_shape& shape, int rank) const {
    return {shape, size, stands_for - first, rank - first};
  }
  /// Those that stand for their groups.
  [[nodiscard]] schedule::members representatives(int root) const noexcept {
    return {.first = 0,
            .stride = ranks_per_group,
            .odd_position = root / ranks_per_group,
            .odd_rank = root};
  }
};

struct composed_call {
  int ranks;
  int rank;
  int root;
  std::uint64_t bytes;
  broadcast_parts chosen;
  bool in_place;

  [[nodiscard]] group_place place() const { return {ranks, rank, root, chosen.ranks_per_group}; }
  [[nodiscard]] bool inside_by_tree() const noexcept {
    return chosen.inner == inside_groups::knomial || chosen.inner == inside_groups::flat;
  }
  [[nodiscard]] model::tree_shape inner_shape() const noexcept {
    return chosen.inner == inside_groups::flat ? model::flat_tree() : model::binomial_tree();
  }
};

/// Among those that stand for groups, which are numbered by group.
generator outer_of(const composed_call& call) {
  const group_place here = call.place();
  const int root = call.root / here.ranks_per_group;
  const auto tree = [&](const model::tree_shape& shape) {
    return tree_broadcast(here.groups, here.group, root, call.bytes, {shape, 0}, call.in_place);
  };
  switch (call.chosen.outer) {
    case among_groups::kary: return tree(model::kary_tree(2));
    case among_groups::scatter_all_gather:
      return scatter_all_gather_broadcast(here.groups, here.group, root, call.bytes,
                                          model::binomial_tree(), call.in_place);
    case among_groups::double_tree:
      return double_tree_broadcast(here.groups, here.group, root, call.bytes, 8192, call.in_place);
    default: return tree(model::binomial_tree());
  }
}

/// Among the ranks of a group, which are numbered by place in it. All is at its root already.
generator inner_of(const composed_call& call) {
  const group_place here = call.place();
  const int place = call.rank - here.first;
  const int root = here.stands_for - here.first;
  if (call.inside_by_tree()) {
    return tree_broadcast(here.size, place, root, call.bytes, {call.inner_shape(), 0}, true);
  }
  const auto source = call.chosen.inner == inside_groups::shared ? round_source::shared_scratch
                                                                 : round_source::buffer;
  return one_round(round_task::broadcast, source,
                   {here.size, place, root, call.bytes, true, call.chosen.read_weight});
}

// Generators and what they are made of stay out of the frame.

steps begin_outer(script& out, const composed_call& call) { return outer_of(call).begin(out); }

steps begin_inner(script& out, const composed_call& call, mark all_here) {
  if (!call.inside_by_tree()) return inner_of(call).begin(out);
  const tree_of_members tree{call.place().tree_inside(call.inner_shape(), call.rank)};
  return descend(out, {.how = cut::into(call.bytes, 0), .trees = {tree, tree}, .from = all_here});
}

/// At one that stands for its group nothing of the inner part is received.
steps compose(script& out, composed_call call) {
  const group_place here = call.place();
  const bool in_outer = call.rank == here.stands_for;
  mark all_here = never;
  if (in_outer) {
    part outer(out, begin_outer(out, call), {.among = here.representatives(call.root)});
    co_await outer.all();
    if (call.inside_by_tree()) all_here = co_yield out.copy({}, {}).after_all();
  }
  part inner(out, begin_inner(out, call, all_here),
             {.among = {.first = here.first}, .behind_all = in_outer && !call.inside_by_tree()});
  co_await inner.all();
}

}  // namespace

generator tree_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                         const broadcast_tree& chosen, bool in_place) {
  const tree_of_members tree{tree_place(chosen.shape, ranks, root, rank)};
  return down_trees({.how = cut::into(bytes, chosen.segment_bytes),
                     .trees = {tree, tree},
                     .copies = rank == root && !in_place});
}

generator hierarchical_broadcast(int ranks, int rank, int root, int ranks_per_node,
                                 std::uint64_t bytes, const broadcast_trees& chosen,
                                 bool in_place) {
  const group_place here(ranks, rank, root, ranks_per_node);
  const tree_of_members inside{here.tree_inside(chosen.inside, rank), {.first = here.first}};
  descent what{.how = cut::into(bytes, chosen.segment_bytes),
               .trees = {inside, inside},
               .copies = rank == root && !in_place};
  if (rank == here.stands_for) {
    const tree_place among(chosen.among_nodes, here.groups, root / ranks_per_node, here.group);
    what.trees = {tree_of_members{among, here.representatives(root)}, inside};
    what.levels = 2;
  }
  return down_trees(what);
}

generator composed_broadcast(int ranks, int rank, int root, std::uint64_t bytes,
                             const broadcast_parts& chosen, bool in_place) {
  const composed_call call{ranks, rank, root, bytes, chosen, in_place};
  const generator inner = inner_of(call);
  schedule::needs all = inner.wants();
  all.window += 1;  // behind the end of the outer part
  if (rank == call.place().stands_for) {
    all.window = std::max(all.window, outer_of(call).wants().window);
  }
  // Lines of the board reach no other node.
  all.edges_apart = !chosen.inside_nodes;
  all.inside_nodes = chosen.inside_nodes;
  return {all, [=](script& out) { return compose(out, call); }};
}

}  // namespace upwash::collective
