// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One run of a packet network under synthetic traffic, from the first packet to the results.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/simulator/network/parameters.hpp"
#include "upwash/simulator/network/traffic.hpp"

namespace upwash::simulator {

/// The parameters of a run. Equal values give equal results.
struct simulation {
  const model::topology* on = nullptr;
  network_parameters with;
  traffic_pattern pattern;
  double load = 1;      ///< relative to a link's rate
  int outstanding = 0;  ///< closed loop: packets of a node in flight, for any load; 0: open loop
  int warm_up_packets = 300;  ///< packet times before the window
  int packets = 1000;         ///< packet times of the window
  std::uint64_t seed = 1;
};

struct simulation_result {
  double load = 0;
  double accepted = 0;  ///< relative to the senders' link rate, in the window
  double latency_avg_ns = 0;
  double latency_p99_ns = 0;
  std::uint64_t packets = 0;      ///< arrived in the window
  std::uint64_t packet_hops = 0;  ///< in the whole run
  double wall_s = 0;
  std::uint64_t digest = 0;            ///< of all events
  std::vector<std::uint64_t> carried;  ///< by link, in the whole run
};

/// Runs the simulation. Calls `progress` with the completed part, 0 to 1, some hundred times.
/// Throws `error`: argument for invalid parameters, fault for a network without progress.
[[nodiscard]] simulation_result run(const simulation& what,
                                    function_ref<void(double done)> progress);
[[nodiscard]] simulation_result run(const simulation& what);

}  // namespace upwash::simulator
