// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The runs of `upwash simulate` that are no patterns of single packets: multicasts, collectives in
// the switches, exchanges, traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "upwash/simulator/network/simulation.hpp"

namespace upwash::tools {

[[nodiscard]] bool is_multicast(std::string_view traffic);

/// Throws `error` (argument) for what is not multicast traffic or a network without trees.
void check_multicast(const simulator::simulation& what, std::string_view traffic);

/// Latencies are those of the last copy, packets are multicasts.
[[nodiscard]] simulator::simulation_result run_multicast(const simulator::simulation& what,
                                                         std::string_view traffic);

/// Prints the time of one collective in the switches, all nodes its members, by size.
int time_collective(const simulator::simulation& what, std::string_view collective,
                    std::vector<std::string> sizes);

/// Prints the time of one message from each node to its partner, for each pattern.
int time_exchange(const simulator::simulation& what, const std::string& size,
                  const std::vector<std::string>& patterns);

[[nodiscard]] bool is_trace(std::string_view traffic);

/// Prints what became of the messages of a trace, "trace:file=F"; a JSON object too, if `json`
/// names a file.
int time_trace(const simulator::simulation& what, std::string_view traffic,
               const std::string& json);

}  // namespace upwash::tools
