// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators get their teams where they are made.
#pragma once

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// Behind the function that made it, at all members: later calls that must not wait find the team.
/// Collective over the new communicator, blocking. Nothing for MPI_COMM_NULL.
void give_team(function made_by, MPI_Comm comm) noexcept;

}  // namespace upwash::mpi
