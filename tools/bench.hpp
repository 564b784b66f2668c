// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash bench`: runs a micro-benchmark as a job of this executable's own ranks.
void add_bench(CLI::App& app, int& status);

}  // namespace upwash::tools
