// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash simulate --schedule`: collectives on the packet network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/simulator/noise.hpp"

namespace upwash::tools {

struct schedule_run {
  std::string collective;
  std::vector<std::string> algorithms;  ///< empty: all that can
  int ranks = 0;
  std::vector<std::string> bytes{"8"};  ///< sizes, or first:last:xK
  std::string machine;
  std::string topology;  ///< empty: the machine's
  std::string routing;
  std::string eager = "512";
  bool nic_memory = false;
  bool one_rank_a_node = false;
  std::string noise;  ///< "period,length"; with ",together" on all nodes at once
  std::uint64_t seed = 1;
  int threads = 1;
  std::string contention = "none";  ///< of whole messages; or flows
  std::string json;
  std::string plot;
  bool quiet = false;
};

/// Prints completion through packets beside that of the message level, of the first size. Throws
/// `error`.
int simulate_schedule(const schedule_run& what);

// What a run is made of; all throw `error` (argument) for what is not right.
[[nodiscard]] machine machine_of(const schedule_run& what);
[[nodiscard]] collective::problem problem_of(const schedule_run& what, std::uint64_t bytes);
[[nodiscard]] schedule::transfer_rules rules_of(const schedule_run& what);
[[nodiscard]] std::vector<std::uint64_t> sizes_of(const schedule_run& what);
[[nodiscard]] simulator::noise noise_of(const schedule_run& what);
/// Those that were named, else all that can serve the call.
[[nodiscard]] std::vector<collective::selection> candidates(const collective::registry& all,
                                                            const collective::problem& call,
                                                            const schedule_run& what);

}  // namespace upwash::tools
