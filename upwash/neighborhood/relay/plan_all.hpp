// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Makes, proves and counts the plans of all ranks of a graph in one process, for tools, tests and
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

/// Returns the reach of the edges, if the ranks lie on a grid.
[[nodiscard]] std::optional<grid_reach> reach_of(const process_graph& graph);

struct all_plans {
  std::vector<relay_plan> of;         ///< by rank
  std::uint64_t control_letters = 0;  ///< messages without blocks, sent while plans are made
  std::uint32_t rounds = 0;           ///< while plans are made
  std::uint64_t noted = 0;            ///< by schemes: the number of groups that friends could form
};

/// Runs a scheme at all ranks of the graph. `hands_over`: the ranks of a node share memory. Memory:
/// all plans. Throws the scheme's exceptions, and `error` (fault) if ranks end in different rounds.
[[nodiscard]] all_plans plan_all(const process_graph& graph, const model::node_map& nodes,
                                 contents of, function_ref<routing(router&)> scheme,
                                 bool hands_over = false);

/// Runs the plans abstractly. Checks that each message is sent and received with the same number of
/// blocks, that no block is sent before it has arrived, and that each rank gets the block of each
/// of its sources once. Returns the first error with its rank, or an empty string.
[[nodiscard]] std::string check(const process_graph& graph, contents of,
                                const std::vector<relay_plan>& plans);

/// Messages and blocks that ranks send, or lay out for others to read.
struct traffic_of_plans {
  double messages = 0;  ///< mean
  std::uint64_t most_messages = 0;
  double between_nodes = 0;  ///< messages, mean
  double volume = 0;         ///< blocks, mean
  std::uint64_t most_volume = 0;
  std::uint32_t rounds = 0;      ///< rounds with messages
  std::uint64_t plan_bytes = 0;  ///< of all plans
};
[[nodiscard]] traffic_of_plans count(const std::vector<relay_plan>& plans,
                                     const model::node_map& nodes);

}  // namespace upwash::neighborhoods
