// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One run of a packet network under synthetic traffic, from the first packet to the figures.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/simulator/network/parameters.hpp"
#include "upwash/simulator/network/traffic.hpp"

namespace upwash::simulator {

/// What determines a run: equal values give equal results.
struct simulation {
  const model::topology* on = nullptr;
  network_parameters with;
  traffic_pattern pattern;
  double load = 1;      ///< of a link's rate
  int outstanding = 0;  ///< closed loop: packets of a node under way, whatever the load; 0: open
  int warm_up_packets = 300;  ///< packet times before the window
  int packets = 1000;         ///< packet times of the window
  std::uint64_t seed = 1;
};

struct simulation_result {
  double load = 0;
  double accepted = 0;  ///< of the senders' link rate, in the window
  double latency_avg_ns = 0;
  double latency_p99_ns = 0;
  std::uint64_t packets = 0;      ///< arrived in the window
  std::uint64_t packet_hops = 0;  ///< in the whole run
  double wall_s = 0;
  std::uint64_t digest = 0;            ///< of all events
  std::vector<std::uint64_t> carried;  ///< by each link, in the whole run
};

/// Runs it. `progress` is told the part that is done, 0 to 1, some hundred times. Throws `error`:
/// argument for parameters that make no network, fault for a network that stands still.
[[nodiscard]] simulation_result run(const simulation& what,
                                    function_ref<void(double done)> progress);
[[nodiscard]] simulation_result run(const simulation& what);

}  // namespace upwash::simulator
