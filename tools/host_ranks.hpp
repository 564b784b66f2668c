// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace upwash::tools {

/// Adds the hidden command of the processes that `upwash run --privatize` starts.
void add_host_ranks(CLI::App& app, int& status);

/// The program and its arguments, run by that command. Throws `error` (argument) for a program of
/// which no copies can be loaded.
[[nodiscard]] std::vector<std::string> hosted(const std::vector<std::string>& program);

}  // namespace upwash::tools
