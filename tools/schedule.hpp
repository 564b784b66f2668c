// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash schedule`; its status goes to `status`.
void add_schedule(CLI::App& app, int& status);

}  // namespace upwash::tools
