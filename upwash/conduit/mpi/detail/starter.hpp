// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How `upwash run` starts processes of conduit mpi: by the launcher of the MPI library.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/mpi/detail/library_choice.hpp"
#include "upwash/conduit/start_command.hpp"

namespace upwash::conduit::mpi {

/// The launcher of a library, by its name along PATH; none: not installed.
[[nodiscard]] std::optional<std::string> find_launcher_program(library which);

/// Of the library that the knob mpi_library names, else of the first that has a plugin and a
/// launcher; or the command of the knob mpi_launcher. Throws `error` (environment).
[[nodiscard]] start_command make_start(const settings& values, const start_request& wanted);

/// Why make_start throws; empty where it does not.
[[nodiscard]] std::string lacking_here(const settings& values);

/// The command line of a library's launcher.
[[nodiscard]] std::vector<std::string> words_for(library which, const std::string& program,
                                                 const start_request& wanted, bool as_root);

/// Plugins and launchers, for `upwash info`.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> installed(const settings& values);

}  // namespace upwash::conduit::mpi
