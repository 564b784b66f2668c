// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An agent's information about its job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/launch/detail/job_map.hpp"

namespace upwash::launch::detail {

struct agent_setup {
  job_map map;
  std::int32_t node = 0;  ///< the agent's node
  std::vector<std::string> program;
  std::vector<std::string> environment;  ///< "NAME=value", overrides the host's own
  std::string folder;                    ///< working folder of the program
  std::int32_t bind_to_cores = 0;
  std::int32_t prefix = 0;
  std::int64_t patience_ps = 0;  ///< silence after which head and agent consider each other dead

  template <class A>
  void serialize(A& a) {
    a(map, node, program, environment, folder, bind_to_cores, prefix, patience_ps);
  }
};

}  // namespace upwash::launch::detail
