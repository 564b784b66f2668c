// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash manual`: man pages and shell completion of all that `app` has when it is called.
void add_manual(CLI::App& app);

}  // namespace upwash::tools
