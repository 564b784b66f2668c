// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What C names need of an MPI library that the program uses itself, and brings: found by name in
// the process, of Open MPI or MPICH. Nothing is linked with it.
#pragma once

#include <span>

namespace upwash::armci::mpi_beside {

/// MPI_COMM_WORLD as it lies in a structure; null without MPI.
[[nodiscard]] void* world() noexcept;
/// MPI_COMM_NULL; null without MPI.
[[nodiscard]] void* none() noexcept;
/// A communicator of these ranks of all; collective over them. MPI_COMM_NULL where MPI does not run
/// now, or has other ranks than the job.
[[nodiscard]] void* make(std::span<const int> ranks, int all) noexcept;
/// Collective over its ranks. Nothing for MPI_COMM_NULL, and where MPI does not run any more.
void free(void* communicator) noexcept;
/// Ranks of a communicator; -1 without MPI, or where it says no.
[[nodiscard]] int size_of(void* communicator) noexcept;

}  // namespace upwash::armci::mpi_beside
