// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash cc` and `upwash cxx`: compilers of C and C++ that find upwash.
void add_compile(CLI::App& app);

}  // namespace upwash::tools
