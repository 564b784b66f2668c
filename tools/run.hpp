// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash run`: starts a program as a job, on this machine or on a simulated one.
void add_run(CLI::App& app, int& status);

}  // namespace upwash::tools
