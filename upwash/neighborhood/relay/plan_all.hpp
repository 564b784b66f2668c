// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The plans of all ranks of a graph, made, proven and counted in one process: for tools, tests and
// prices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/node_map.hpp"
#include "upwash/neighborhood/graphs/process_graph.hpp"
#include "upwash/neighborhood/relay/relay_plan.hpp"
#include "upwash/neighborhood/relay/router.hpp"

namespace upwash::neighborhoods {

/// How far edges reach, where ranks lie on a grid.
[[nodiscard]] std::optional<grid_reach> reach_of(const process_graph& graph);

struct all_plans {
  std::vector<relay_plan> of;         ///< by rank
  std::uint64_t control_letters = 0;  ///< that carried no block: they are sent while plans are made
  std::uint32_t rounds = 0;           ///< while plans are made
  std::uint64_t noted = 0;            ///< by schemes: friends note the groups they could form
};

/// Runs a scheme at all ranks of the graph; `hands_over`: those of a node share memory. Memory: all
/// plans. Throws what the scheme throws, and `error` (fault) for one that ends in different rounds.
[[nodiscard]] all_plans plan_all(const process_graph& graph, const model::node_map& nodes,
                                 contents of, function_ref<routing(router&)> scheme,
                                 bool hands_over = false);

/// Runs the plans abstractly: each message is sent and received with as many blocks, no block is
/// sent before it is there, and each rank gets the block of each of its sources once. Returns the
/// first thing that is wrong, with the rank, or an empty string.
[[nodiscard]] std::string check(const process_graph& graph, contents of,
                                const std::vector<relay_plan>& plans);

/// Messages and blocks that ranks send, or lay out for others to read.
struct traffic_of_plans {
  double messages = 0;  ///< in the mean
  std::uint64_t most_messages = 0;
  double between_nodes = 0;  ///< messages, in the mean
  double volume = 0;         ///< blocks, in the mean
  std::uint64_t most_volume = 0;
  std::uint32_t rounds = 0;      ///< in which anything is sent
  std::uint64_t plan_bytes = 0;  ///< of all plans
};
[[nodiscard]] traffic_of_plans count(const std::vector<relay_plan>& plans,
                                     const model::node_map& nodes);

}  // namespace upwash::neighborhoods
