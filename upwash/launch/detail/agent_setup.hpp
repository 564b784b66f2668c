// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an agent must know of its job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/launch/detail/job_map.hpp"

namespace upwash::launch::detail {

struct agent_setup {
  job_map map;
  std::int32_t node = 0;  ///< the agent's
  std::vector<std::string> program;
  std::vector<std::string> environment;  ///< "NAME=value", over the host's own
  std::string folder;                    ///< where the program is to run
  std::int32_t bind_to_cores = 0;
  std::int32_t prefix = 0;
  std::int64_t patience_ps = 0;  ///< after so long a silence head and agent are dead to each other

  template <class A>
  void serialize(A& a) {
    a(map, node, program, environment, folder, bind_to_cores, prefix, patience_ps);
  }
};

}  // namespace upwash::launch::detail
