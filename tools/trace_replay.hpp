// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What if: a trace done again on another machine. The program's work keeps its length and ranks
// wait for the same messages and members as before; messages and memory operations take what the
// machine says, on its message-level network or as packets on a topology. Collectives in shared
// memory take what the best algorithm would take there.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// What was asked for on the command line.
struct what_if_options {
  std::vector<std::string> machines;
  std::string topology;
};

void add_what_if(CLI::App& command, what_if_options& chosen);

struct what_if {
  std::string on;  ///< the machine; empty: as it was measured, to see what the replay is worth
  struct at_rank {
    int rank = 0;
    std::int64_t end_ps = 0;
    std::int64_t work_ps = 0;  ///< and the rest it waits, or sends
  };
  std::vector<at_rank> ranks;
  std::int64_t total_ps = 0;   ///< of the last rank
  std::uint64_t stranded = 0;  ///< actions given up on: what they wait for never came
};

/// First as it was measured, then on each machine; nothing where none is asked for. O(events log
/// events) each, and what packets take. Throws `error`: configuration for unknown machines and
/// topologies, argument where ranks do not fit the topology.
[[nodiscard]] std::vector<what_if> replay_trace(const observe::trace& of,
                                                const what_if_options& asked);

/// A list; times in microseconds.
[[nodiscard]] nlohmann::json json_of(const std::vector<what_if>& all);

/// As text, beside what was measured.
void print_what_if(const std::vector<what_if>& all, std::int64_t measured_ps);

}  // namespace upwash::tools
