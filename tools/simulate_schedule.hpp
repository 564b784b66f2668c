// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash simulate --schedule`: collectives on the packet network.
#pragma once

#include <string>

namespace upwash::tools {

struct schedule_run {
  std::string collective;
  std::string algorithm;  ///< empty: all that can
  int ranks = 0;
  std::string bytes = "8";
  std::string machine;
  std::string topology;  ///< empty: the machine's
  std::string routing;
  bool nic_memory = false;
  bool one_rank_a_node = false;
  std::string noise;  ///< "period,length"; with ",together" on all nodes at once
  std::uint64_t seed = 1;
};

/// Prints completion through packets beside that of the message level. Throws `error`.
int simulate_schedule(const schedule_run& what);

}  // namespace upwash::tools
