// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds and loads the plugin for an MPI library.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "upwash/conduit/mpi/detail/library_choice.hpp"
#include "upwash/conduit/mpi/mpi_engine.hpp"

namespace upwash::conduit::mpi {

/// The plugin's file: `named` (the knob mpi_plugin), else where plugins lie; none: not there.
[[nodiscard]] std::optional<std::string> find_plugin(library which, const std::string& named);

/// Loads it, and the MPI library with it, for as long as the process lives. Throws `error`
/// (environment) that says which files were looked for, or what the loader said.
[[nodiscard]] std::unique_ptr<mpi_engine> load_plugin(library which, const std::string& named);

}  // namespace upwash::conduit::mpi
