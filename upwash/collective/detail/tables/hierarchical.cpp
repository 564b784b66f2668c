// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/hierarchical.hpp"

#include <fmt/format.h>

#include <algorithm>

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
constexpr model::parameter reduce_parameters[] = {
    {"k", 2, most_ranks, 2, "radix of the tree among leaders"},
};

hierarchical_call call_of(const problem& call, int rank) {
  return {call.nodes.get(), rank, call.bytes, call.element_bytes, call.in_place};
}

std::string no_room(const problem& call, std::uint64_t wanted) {
  if (wanted <= call.node_scratch) return {};
  return fmt::format("hierarchical: {} bytes are more than the {} of a node's shared scratch",
                     wanted, call.node_scratch);
}

std::string out_of_order(const problem& call, bool keeps_order) {
  if (call.commutative || (keeps_order && call.nodes->in_order())) return {};
  return keeps_order
             ? "hierarchical: nodes do not follow each other in the order of ranks, and the "
               "operator does not commute"
             : "hierarchical: outer=2, a ring, needs a commutative operator";
}

std::string objection_to_all_reduce(const problem& call, const values& with) {
  if (with[1] > static_cast<std::uint64_t>(call.nodes->least_size())) {
    return fmt::format("hierarchical: {} leaders, and a node with {} ranks", with[1],
                       call.nodes->least_size());
  }
  std::string why =
      out_of_order(call, static_cast<leaders_reduce>(with[0]) != leaders_reduce::by_ring);
  const std::uint64_t least = std::min<std::uint64_t>(call.bytes, call.element_bytes);
  return why.empty() ? no_room(call, least) : why;
}

void add_exchanges_by_nodes(registry& to) {
  to.add({.of = kind::all_to_all,
          .is = {.name = "hierarchical",
                 .parameters = {},
                 .requirements = model::needs_node_memory,
                 .doc = "one message between two nodes, with the blocks of all their members",
                 .source = nishtala},
          .make = [](const problem& call, const values&,
                     int rank) { return hierarchical_all_to_all(call_of(call, rank)); },
          .objection =
              [](const problem& call, const values&) {
                return no_room(call, hierarchical_all_to_all_bytes(call_of(call, 0)));
              }});
  to.add({.of = kind::reduce_scatter,
          .is = {.name = "hierarchical",
                 .parameters = {},
                 .requirements = model::needs_node_memory,
                 .doc = "one message between two nodes, combined in the memory of the first",
                 .source = nishtala},
          .make =
              [](const problem& call, const values&, int rank) {
                return hierarchical_reduce_scatter(call_of(call, rank), !call.commutative);
              },
          .objection =
              [](const problem& call, const values&) {
                const std::string why = out_of_order(call, true);
                return why.empty()
                           ? no_room(call, hierarchical_reduce_scatter_bytes(call_of(call, 0)))
                           : why;
              }});
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
  to.add({.of = kind::all_reduce,
          .is = {.name = "hierarchical",
                 .parameters = all_reduce_parameters,
                 .requirements = model::needs_node_memory,
                 .doc = "leaders combine in their node's memory, then with those of other nodes",
                 .source = "Nishtala et al. 2009; several leaders: Bayatpour et al. 2017"},
          .make =
              [](const problem& call, const values& with, int rank) {
                return hierarchical_all_reduce(call_of(call, rank), static_cast<int>(with[1]),
                                               static_cast<leaders_reduce>(with[0]),
                                               call.node_scratch);
              },
          .objection = objection_to_all_reduce});
  to.add({.of = kind::all_gather,
          .is = {.name = "hierarchical",
                 .parameters = all_gather_parameters,
                 .requirements = model::needs_node_memory,
                 .doc = "blocks of a node lie at its leader, who gathers those of other nodes",
                 .source = nishtala},
          .make =
              [](const problem& call, const values& with, int rank) {
                return hierarchical_all_gather(call_of(call, rank),
                                               static_cast<leaders_gather>(with[0]));
              },
          .objection =
              [](const problem& call, const values&) {
                return no_room(call, hierarchical_all_gather_bytes(call_of(call, 0)));
              }});
  to.add({.of = kind::reduce,
          .is = {.name = "hierarchical",
                 .parameters = reduce_parameters,
                 .requirements = model::needs_node_memory,
                 .doc = "leaders combine in their node's memory, then up a tree to the root",
                 .source = nishtala},
          .make =
              [](const problem& call, const values& with, int rank) {
                return hierarchical_reduce(call_of(call, rank), call.root,
                                           static_cast<int>(with[0]), !call.commutative);
              },
          .objection =
              [](const problem& call, const values&) {
                const std::string why = out_of_order(call, true);
                return why.empty() ? no_room(call, call.bytes) : why;
              }});
  add_exchanges_by_nodes(to);
}

}  // namespace upwash::collective::detail
