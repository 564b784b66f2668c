// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash info`: version, conduits, this machine as seen, limits, knobs.
void add_info(CLI::App& app, int& status);

}  // namespace upwash::tools
