// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/fortran.hpp"

#include <dlfcn.h>

#include <algorithm>

#ifdef OPEN_MPI
/// Common blocks of programs in Fortran; of none in others.
extern "C" __attribute__((weak)) int mpi_fortran_in_place_;
extern "C" __attribute__((weak)) int mpi_fortran_bottom_;
extern "C" __attribute__((weak)) int mpi_fortran_status_ignore_;
extern "C" __attribute__((weak)) int mpi_fortran_statuses_ignore_;
#else
/// Variables of the module of Fortran 2008, if it is in the process. MPICH 5 has them, but its
/// mpi.h does not declare them.
#if MPICH_NUMVERSION >= 50000000
extern "C" MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
extern "C" MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
#endif
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ
#endif

namespace upwash::mpi::fortran {
namespace {

[[nodiscard]] bool is_ignored(const void* status) noexcept {
#ifdef OPEN_MPI
  return status == &mpi_fortran_status_ignore_ || status == &mpi_fortran_statuses_ignore_;
#else
  return status == &MPIR_F08_MPI_STATUS_IGNORE_OBJ || status == &MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
#endif
}

#ifdef OPEN_MPI

/// Handles of upwash's own are the same numbers in Fortran.
template <class Handle>
Handle f2c(MPI_Fint number, Handle (*theirs)(MPI_Fint)) {
  const auto word = static_cast<std::uint32_t>(number);
  return is_own_handle(word) ? handle_of<Handle>(word) : theirs(number);
}

template <class Handle>
MPI_Fint c2f(Handle of, MPI_Fint (*theirs)(Handle)) {
  return is_own_handle(word_of(of)) ? static_cast<MPI_Fint>(word_of(of)) : theirs(of);
}
#endif

}  // namespace

#ifdef OPEN_MPI
void* buffer(const void* given) noexcept {
  if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (given == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return const_cast<void*>(given);  // NOLINT: Fortran knows no const
}

int blocks(MPI_Comm comm, bool of_neighbors, bool sends) {
  int number = 0;
  int inter = 0;
  if (!of_neighbors) {
    PMPI_Comm_test_inter(comm, &inter);
    inter != 0 ? PMPI_Comm_remote_size(comm, &number) : PMPI_Comm_size(comm, &number);
    return number;
  }
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &number);
    return 2 * number;
  }
  if (kind == MPI_GRAPH) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &number);
    return number;
  }
  if (kind != MPI_DIST_GRAPH) return 0;
  int out = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &number, &out, &weighted);
  return sends ? out : number;
}

std::vector<MPI_Datatype> types(const MPI_Fint* handles, int number) {
  std::vector<MPI_Datatype> made;
  made.reserve(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) made.push_back(PMPI_Type_f2c(handles[i]));
  return made;
}

MPI_Request request(MPI_Fint number) { return f2c<MPI_Request>(number, PMPI_Request_f2c); }
MPI_Fint number_of(MPI_Request of) { return c2f(of, PMPI_Request_c2f); }
MPI_Message message(MPI_Fint number) { return f2c<MPI_Message>(number, PMPI_Message_f2c); }
MPI_Fint number_of(MPI_Message of) { return c2f(of, PMPI_Message_c2f); }
#else
// All handles are numbers of Fortran.
MPI_Request request(MPI_Fint number) { return number; }
MPI_Fint number_of(MPI_Request of) { return of; }
#endif

std::vector<MPI_Request> requests(const MPI_Fint* handles, int number) {
  std::vector<MPI_Request> made;
  for (int i = 0; i < number; ++i) made.push_back(request(handles[i]));
  return made;
}

void hand_back(const std::vector<MPI_Request>& requests, MPI_Fint* handles) {
  for (const MPI_Request each : requests) *handles++ = number_of(each);
}

void count_from_one(MPI_Fint* indices, MPI_Fint number) noexcept {
  for (MPI_Fint i = 0; i < number; ++i) {
    if (indices[i] != MPI_UNDEFINED) ++indices[i];
  }
}

status::status(MPI_Fint* given, MPI_Fint number) : given_(given) {
  if (is_ignored(given)) {
    given_ = nullptr;
    return;
  }
  filled_.resize(static_cast<std::size_t>(std::max(number, 1)));
  for (int i = 0; i < number; ++i) {
    PMPI_Status_f2c(given_ + i * size, &filled_[static_cast<std::size_t>(i)]);
  }
  count_ = number;
}

void status::give_back() {
  if (given_ == nullptr) return;
  for (int i = 0; i < count_; ++i) {
    PMPI_Status_c2f(&filled_[static_cast<std::size_t>(i)], given_ + i * size);
  }
}

void* library_function(const char* name) noexcept { return dlsym(RTLD_NEXT, name); }

}  // namespace upwash::mpi::fortran
