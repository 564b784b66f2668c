// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash trace`: what a trace tells, in numbers; and the same events in formats of others.
void add_trace(CLI::App& app);

}  // namespace upwash::tools
