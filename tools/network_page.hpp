// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A simulated network as a page: what its links carried, drawn on its topology.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "upwash/model/topology.hpp"
#include "upwash/simulator/network/simulation.hpp"

namespace upwash::tools {

/// One run on it.
struct network_run {
  std::string traffic;
  simulator::simulation_result seen;
};

inline constexpr int most_switches_on_a_page = 1024;

/// What the page draws: `title`, `levels` (of each switch: links to the nearest node, less one),
/// `sizes` (of a grid: switches in each dimension, the first running fastest; else empty), `groups`
/// (of a dragonfly: switches in one; else 0), `links` (from, to, each a switch, or -1 - node;
/// directed, in the order of `carried`; without those to nowhere), and `runs` (traffic, load,
/// accepted, latency, and of each link the share of its capacity that it carried). `packet_times`:
/// of a run, what a link can carry.
[[nodiscard]] nlohmann::json network_data(const model::topology& on, double packet_times,
                                          const std::vector<network_run>& runs);

}  // namespace upwash::tools
