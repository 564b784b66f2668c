// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the members of a team are placed: found by one of a process for all of its ranks.
#pragma once

#include <memory>

#include "upwash/collective/problem.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective::detail {

struct team_record;

struct team_shape {
  int ranks_per_node = 0;          ///< problem::ranks_per_node; 0: not looked at yet
  int processes = 0;               ///< problem::processes
  model::shared_node_map nodes{};  ///< problem::nodes, if members have a board for them
};

/// Kept with the record. O(members) once a process.
[[nodiscard]] const team_shape& shape_of(const team& among, team_record& record);

/// Fills in what the problem says of nodes and processes.
void tell_nodes(const team& among, team_record& record, problem& call);

}  // namespace upwash::collective::detail
