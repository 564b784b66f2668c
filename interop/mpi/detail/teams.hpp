// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators get their teams where they are made.
#pragma once

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// Behind the function that made it, at all who called it: later calls that must not wait find the
/// team. Collective over the new communicator, and over the one that it was made from, if all of
/// that called: there teams of freed communicators are given back. Blocking. `hints`: what the
/// program said of the new one, which may be MPI_COMM_NULL.
void give_team(function made_by, MPI_Comm from, MPI_Comm comm,
               MPI_Info hints = MPI_INFO_NULL) noexcept;

/// The same where the members of the new one alone called it, with that tag: it is among them that
/// teams are given back.
void give_team_to_some(function made_by, MPI_Comm from, int tag, MPI_Comm comm) noexcept;

/// What the program promises about its messages there (MPI 4.0, 7.4.4). Local.
void take_hints(function told_by, MPI_Comm comm, MPI_Info hints) noexcept;

}  // namespace upwash::mpi
