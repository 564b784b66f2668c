// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What arguments of Fortran mean in C, for the names of Fortran that `generate.py` writes: all of
// Open MPI's, which do not call C's, and MPICH's of the module of Fortran 2008 without buffers.
#pragma once

#include <cstddef>
#include <vector>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of numbers are handed on as they are");

#ifdef OPEN_MPI
/// MPI_IN_PLACE and MPI_BOTTOM are variables there.
[[nodiscard]] void* buffer(const void* given) noexcept;
/// How many blocks a call on the communicator has, as each member sends or receives them.
[[nodiscard]] int blocks(MPI_Comm comm, bool of_neighbors, bool sends);
[[nodiscard]] std::vector<MPI_Datatype> types(const MPI_Fint* handles, int number);
#endif

[[nodiscard]] std::vector<MPI_Request> requests(const MPI_Fint* handles, int number);
void hand_back(const std::vector<MPI_Request>& requests, MPI_Fint* handles);

/// Of both, also of upwash's own.
[[nodiscard]] MPI_Request request(MPI_Fint number);
[[nodiscard]] MPI_Fint number_of(MPI_Request of);
/// Messages that a probe took out; before there is one the argument means nothing. Of MPICH they
/// are numbers, as requests are, and of the same type.
#ifdef OPEN_MPI
[[nodiscard]] MPI_Message message(MPI_Fint number);
[[nodiscard]] MPI_Fint number_of(MPI_Message of);
#else
[[nodiscard]] inline MPI_Message message(MPI_Fint number) noexcept { return number; }
#endif

/// What requests are called by their places in an array.
void count_from_one(MPI_Fint* indices, MPI_Fint number) noexcept;

/// An argument that a call may fill, of one or of several.
class status {
 public:
  explicit status(MPI_Fint* given, MPI_Fint number = 1);
  [[nodiscard]] MPI_Status* in_c() noexcept {
    return given_ == nullptr ? ignored_ : filled_.data();
  }
  /// Behind the call.
  void give_back();

 private:
  /// Numbers of Fortran in a status.
  static constexpr std::ptrdiff_t size = sizeof(MPI_Status) / sizeof(MPI_Fint);

  int count_ = 0;
  MPI_Fint* given_;  ///< null: it is ignored
  MPI_Status* ignored_ = MPI_STATUS_IGNORE;
  std::vector<MPI_Status> filled_;
};

/// The library's own function.
[[nodiscard]] void* library_function(const char* name) noexcept;

}  // namespace upwash::mpi::fortran
