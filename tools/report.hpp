// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash report`: one page that shows a trace, or two side by side.
void add_report(CLI::App& app);

}  // namespace upwash::tools
