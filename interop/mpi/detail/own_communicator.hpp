// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator that the program does not see, for what upwash wants of the MPI library.
#pragma once

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// Of all processes, though a rank looks on it for what it sent itself: of communicators of one
/// MPICH 4.0.2 makes no progress there.
class own_communicator {
 public:
  /// Collective over all processes, and so is the end, before MPI's.
  own_communicator() { PMPI_Comm_dup(MPI_COMM_WORLD, &handle_); }
  ~own_communicator() { PMPI_Comm_free(&handle_); }
  own_communicator(const own_communicator&) = delete;
  own_communicator& operator=(const own_communicator&) = delete;

  [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace upwash::mpi
