// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash tune`: searches, explains and remembers which algorithms serve best.
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

void add_tune(CLI::App& app, int& status);

}  // namespace upwash::tools
