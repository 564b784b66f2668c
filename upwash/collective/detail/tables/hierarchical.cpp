// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hierarchical.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {
namespace {

using model::trial;
using model::values;
using schedule::generator;

constexpr std::string_view nishtala = "Nishtala et al. 2009, leverage shared memory";

constexpr model::parameter barrier_parameters[] = {
    {"k", 2, most_radix, 2, "radix of the dissemination among leaders"},
};
constexpr model::parameter all_reduce_parameters[] = {
    {"outer", 0, 2, 0, "among leaders: 0 recursive_doubling, 1 rabenseifner, 2 ring", trial::each},
    {"leaders", 1, most_ranks, 1, "of a node, each for a part of the vector"},
};
constexpr model::parameter all_gather_parameters[] = {
    {"outer", 0, 1, 0, "among leaders: 0 dissemination, 1 ring", trial::each},
};
constexpr model::parameter tree_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree among leaders"},
};

hierarchical_call call_of(const problem& call, int rank) {
  return {.nodes = call.nodes.get(),
          .rank = rank,
          .bytes = call.bytes,
          .element_bytes = call.element_bytes,
          .in_place = call.in_place,
          .scratch_bytes = call.node_scratch};
}

hierarchical_call given_to(const problem& call, int rank) {
  hierarchical_call of = call_of(call, rank);
  of.given = true;
  return of;
}

rooted_by_nodes rooted_of(const problem& call, const values& with, int rank) {
  return {call_of(call, rank), call.root, static_cast<int>(with[0])};
}

/// Pieces of an element are the least.
std::string no_room(const problem& call, const generator& made) {
  const std::uint64_t least = made.wants().shared_bytes;
  if (least <= call.node_scratch) return {};
  return fmt::format("hierarchical: {} bytes are more than the {} of a node's shared scratch",
                     least, call.node_scratch);
}

std::string out_of_order(const problem& call, bool keeps_order) {
  if (call.commutative || (keeps_order && call.nodes->in_order())) return {};
  return keeps_order
             ? "hierarchical: nodes do not follow each other in the order of ranks, and the "
               "operator does not commute"
             : "hierarchical: outer=2, a ring, needs a commutative operator";
}

using maker = generator(const problem& call, const values& with, int rank);

generator all_reduce_of(const problem& call, const values& with, int rank) {
  return hierarchical_all_reduce(call_of(call, rank), static_cast<int>(with[1]),
                                 static_cast<leaders_reduce>(with[0]));
}

std::string objection_to_all_reduce(const problem& call, const values& with) {
  if (with[1] > static_cast<std::uint64_t>(call.nodes->least_size())) {
    return fmt::format("hierarchical: {} leaders, and a node with {} ranks", with[1],
                       call.nodes->least_size());
  }
  const std::string why =
      out_of_order(call, static_cast<leaders_reduce>(with[0]) != leaders_reduce::by_ring);
  return why.empty() ? no_room(call, all_reduce_of(call, with, 0)) : why;
}

generator all_gather_of(const problem& call, const values& with, int rank) {
  return hierarchical_all_gather(call_of(call, rank), static_cast<leaders_gather>(with[0]));
}

generator all_gather_v_of(const problem& call, const values& with, int rank) {
  return hierarchical_all_gather(given_to(call, rank), static_cast<leaders_gather>(with[0]));
}

generator all_to_all_of(const problem& call, const values&, int rank) {
  return hierarchical_all_to_all(call_of(call, rank));
}

generator reduce_scatter_of(const problem& call, const values&, int rank) {
  return hierarchical_reduce_scatter(call_of(call, rank), !call.commutative);
}

generator reduce_scatter_v_of(const problem& call, const values&, int rank) {
  return hierarchical_reduce_scatter(given_to(call, rank), !call.commutative);
}

generator reduce_of(const problem& call, const values& with, int rank) {
  return hierarchical_reduce(rooted_of(call, with, rank), !call.commutative);
}

template <generator (*Make)(const rooted_by_nodes&)>
generator rooted(const problem& call, const values& with, int rank) {
  return Make(rooted_of(call, with, rank));
}

template <scan_reach Reach>
generator scan_of(const problem& call, const values&, int rank) {
  return hierarchical_scan(call_of(call, rank), Reach);
}

template <maker* Make>
std::string objection_to_room(const problem& call, const values& with) {
  return no_room(call, Make(call, with, 0));
}

template <maker* Make>
std::string objection_to_order(const problem& call, const values& with) {
  const std::string why = out_of_order(call, true);
  return why.empty() ? objection_to_room<Make>(call, with) : why;
}

/// Of a scan operands are the ranks before, whatever the operator.
template <maker* Make>
std::string objection_to_scan(const problem& call, const values& with) {
  if (!call.nodes->in_order()) {
    return "hierarchical: nodes do not follow each other in the order of ranks";
  }
  return objection_to_room<Make>(call, with);
}

/// All that has `hierarchical` by one maker.
template <maker* Make>
algorithm row(kind of, std::span<const model::parameter> parameters, std::string_view doc,
              std::string (*objection)(const problem&, const values&) = objection_to_room<Make>,
              std::string_view name = "hierarchical") {
  return {.of = of,
          .is = {.name = name,
                 .parameters = parameters,
                 .requirements = model::needs_node_memory,
                 .doc = doc,
                 .source = nishtala},
          .make = Make,
          .objection = objection};
}

/// A row of blocks of different lengths, priced as that of equal ones of the mean.
template <maker* Alike>
algorithm priced_alike(algorithm one) {
  one.priced_as = Alike;
  return one;
}

}  // namespace

void add_hierarchical(registry& to) {
  to.add({.of = kind::barrier,
          .is = {.name = "hierarchical",
                 .parameters = barrier_parameters,
                 .requirements = model::needs_node_memory,
                 .doc = "members count up their node's counter, its leaders tell each other",
                 .source = nishtala},
          .make = [](const problem& call, const values& with, int rank) {
            return hierarchical_barrier(call_of(call, rank), static_cast<int>(with[0]));
          }});
  algorithm all_reduce =
      row<all_reduce_of>(kind::all_reduce, all_reduce_parameters,
                         "leaders combine in their node's memory, then with those of other nodes",
                         objection_to_all_reduce);
  all_reduce.is.source = "Nishtala et al. 2009; several leaders: Bayatpour et al. 2017";
  to.add(all_reduce);
  to.add(
      row<all_gather_of>(kind::all_gather, all_gather_parameters,
                         "blocks of a node lie at its leader, who gathers those of other nodes"));
  to.add(priced_alike<all_gather_of>(row<all_gather_v_of>(
      kind::all_gather_v, all_gather_parameters,
      "blocks of a node lie at its leader, who gathers those of other nodes")));
  to.add(row<reduce_of>(kind::reduce, tree_parameters,
                        "leaders combine in their node's memory, then up a tree to the root",
                        objection_to_order<reduce_of>));
  to.add(row<all_to_all_of>(kind::all_to_all, {},
                            "one message between two nodes, with the blocks of all their members"));
  to.add(
      row<reduce_scatter_of>(kind::reduce_scatter, {},
                             "one message between two nodes, combined in the memory of the first",
                             objection_to_order<reduce_scatter_of>));
  to.add(priced_alike<reduce_scatter_of>(
      row<reduce_scatter_v_of>(kind::reduce_scatter_v, {},
                               "one message between two nodes, combined in the memory of the first",
                               objection_to_order<reduce_scatter_v_of>)));
  constexpr auto broadcast = rooted<hierarchical_memory_broadcast>;
  to.add(row<broadcast>(kind::broadcast, tree_parameters,
                        "down a tree of leaders, in whose memory their nodes find it",
                        objection_to_room<broadcast>, "hierarchical_memory"));
  to.add(row<rooted<hierarchical_scatter>>(
      kind::scatter, tree_parameters,
      "blocks of whole nodes down a tree of leaders, in whose memory their nodes find them"));
  to.add(row<rooted<hierarchical_gather>>(
      kind::gather, tree_parameters,
      "blocks of a node lie at its leader, and go up a tree of leaders"));
  constexpr auto scan = scan_of<scan_reach::inclusive>;
  to.add(row<scan>(kind::scan, {}, "leaders combine up to each member, then scan the sums of nodes",
                   objection_to_scan<scan>));
  constexpr auto before = scan_of<scan_reach::exclusive>;
  to.add(row<before>(kind::exclusive_scan, {},
                     "leaders combine up to each member, then scan the sums of nodes",
                     objection_to_scan<before>));
}

}  // namespace upwash::collective::detail
