// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash status`, `upwash top` and `upwash attach-debugger`: a running job, seen from
/// outside.
void add_status(CLI::App& app);

}  // namespace upwash::tools
