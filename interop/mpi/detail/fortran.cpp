// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/fortran.hpp"

#ifdef OPEN_MPI

#include <dlfcn.h>

/// Common blocks of programs in Fortran; of none in others.
extern "C" __attribute__((weak)) int mpi_fortran_in_place_;
extern "C" __attribute__((weak)) int mpi_fortran_bottom_;

namespace upwash::mpi::fortran {

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

std::vector<MPI_Request> requests(const MPI_Fint* handles, int number) {
  std::vector<MPI_Request> made;
  for (int i = 0; i < number; ++i) made.push_back(PMPI_Request_f2c(handles[i]));
  return made;
}

void hand_back(const std::vector<MPI_Request>& requests, MPI_Fint* handles) {
  for (const MPI_Request each : requests) *handles++ = PMPI_Request_c2f(each);
}

void* library_function(const char* name) noexcept { return dlsym(RTLD_NEXT, name); }

}  // namespace upwash::mpi::fortran

#endif
