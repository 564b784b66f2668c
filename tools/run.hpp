// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace upwash::tools {

/// Adds `upwash run`: starts a program as a job, on this machine or on a simulated one.
void add_run(CLI::App& app, int& status);

/// Adds `upwash agent` (hidden): what `upwash run --hosts` starts on each host.
void add_agent(CLI::App& app, int& status);

/// Takes the "--" between the options of `run`, or `mpi`, and the program out of the command line:
/// CLI11 would end the subcommand there. One behind the program's name is the program's.
void drop_separator(const CLI::App& app, std::vector<char*>& words);

}  // namespace upwash::tools
