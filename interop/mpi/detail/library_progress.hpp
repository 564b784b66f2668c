// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI library's progress: whoever waits in it, in whatever call, lets upwash go on. MPI asks
// that of nonblocking collectives: a rank in MPI_Recv takes part in an MPI_Ibarrier.
#pragma once

namespace upwash::mpi {

/// Behind the library's MPI_Init: from now on it calls `go_on` whenever it makes progress itself;
/// `go_on` returns how much it did. False where this library cannot: it is tried. Once a process.
[[nodiscard]] bool join_library_progress(int (*go_on)());

}  // namespace upwash::mpi
