// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash simulate`: traffic on a simulated network of switches.
void add_simulate(CLI::App& app, int& status);

}  // namespace upwash::tools
