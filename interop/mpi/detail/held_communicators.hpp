// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators that the program frees while a nonblocking collective of the MPI library is under
// way on them. MPI allows that, but Open MPI 4 ends such a communicator at once, unless a message
// is under way on it, and its collective then uses freed memory.
#pragma once

#include <cstddef>
#include <deque>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {

/// Of one process. Keeps the last ones.
class held_communicators {
 public:
  held_communicators() = default;
  held_communicators(const held_communicators&) = delete;
  held_communicators& operator=(const held_communicators&) = delete;
  /// While MPI still works.
  ~held_communicators() {
    while (!held_.empty()) let_first_go();
  }

  /// Before the communicator is freed: posts a receive on it, of a message that nobody sends.
  /// Local.
  void hold(MPI_Comm comm, int own_rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(nullptr, 0, MPI_BYTE, own_rank, 0, comm, &request);
    held_.push_back(request);
    if (held_.size() > max_held) let_first_go();
  }

 private:
  static constexpr std::size_t max_held = 64;

  void let_first_go() {
    PMPI_Cancel(&held_.front());
    PMPI_Wait(&held_.front(), MPI_STATUS_IGNORE);
    held_.pop_front();
  }

  std::deque<MPI_Request> held_;
};

}  // namespace upwash::mpi
