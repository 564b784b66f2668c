// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the launchers of MPI libraries add to the output of their processes.
#pragma once

#include "upwash/conduit/mpi/detail/library_choice.hpp"
#include "upwash/conduit/start_command.hpp"

namespace upwash::conduit::mpi {

[[nodiscard]] const launcher_manner& manner_of(library which) noexcept;

}  // namespace upwash::conduit::mpi
