// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace upwash::tools {

/// Adds `upwash mpi`: starts a program of MPI, as it is, with the preload library (docs/mpi.md).
void add_mpi(CLI::App& app);

}  // namespace upwash::tools
