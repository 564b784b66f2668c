// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program with wrappers of its own that call the MPI library's PMPI_ functions, as linked-in
// profilers do. With -DWRAPS_WAIT also one that gets requests.
#include <mpi.h>
#include <stdio.h>

static int wrapped;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++wrapped;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

#ifdef WRAPS_WAIT
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  ++wrapped;
  return PMPI_Wait(request, status);
}
#endif

int main(int argc, char** argv) {
  int rank, size, got = -1, sum = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&size, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int wrong = got != (rank + size - 1) % size || sum != size * size || wrapped == 0;
  if (wrong) fprintf(stderr, "rank %d: got %d, sum %d, %d calls\n", rank, got, sum, wrapped);
  MPI_Finalize();
  return wrong;
}
