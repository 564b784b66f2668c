// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/collective/detail/tables/tables.hpp"

namespace upwash::collective::detail {
namespace {

using model::values;
using schedule::generator;

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

/// Groups are nodes, and ranks share memory inside them only.
bool shares_inside(const problem& call, const values& with) {
  const bool by_node = call.nodes && with[2] == 0 && call.ranks_per_node > 1;
  return by_node && !call.direct_access &&
         static_cast<inside_groups>(with[1]) == inside_groups::shared;
}

broadcast_parts parts_of(const problem& call, const values& with) {
  return {static_cast<among_groups>(with[0]), static_cast<inside_groups>(with[1]),
          ranks_per_group(call, with), shares_inside(call, with)};
}

generator composed_of(const problem& call, const values& with, int rank) {
  return composed_broadcast(call.ranks, rank, call.root, call.bytes, parts_of(call, with),
                            call.in_place);
}

generator weighed_composed_of(const problem& call, const values& with, int rank) {
  broadcast_parts chosen = parts_of(call, with);
  chosen.read_weight =
      chosen.inner == inside_groups::single_copy ? fetch_weight(call) : scratch_weight(call.bytes);
  return composed_broadcast(call.ranks, rank, call.root, call.bytes, chosen, call.in_place);
}

std::string objection_to_composed(const problem& call, const values& with) {
  const auto inner = static_cast<inside_groups>(with[1]);
  if (inner != inside_groups::shared && inner != inside_groups::single_copy) return {};
  const bool near = shares_inside(call, with);
  if (!call.direct_access && !near) {
    return "composed: this inner needs ranks that load and store each other's memory";
  }
  const std::uint64_t room = near ? call.node_scratch : call.shared_scratch;
  if (inner == inside_groups::shared && call.bytes > room) {
    return fmt::format("composed: {} bytes are more than the {} of shared scratch", call.bytes,
                       room);
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
          .objection = objection_to_composed,
          .priced_as = weighed_composed_of});
}

}  // namespace upwash::collective::detail
