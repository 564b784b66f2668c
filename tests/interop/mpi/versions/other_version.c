// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program of another version of the MPI: it calls a persistent collective by the name of that
// version, which only the preload library has here. LATER adds a function that a later MPI library
// would have. Compiled with -rdynamic, so that it is seen as the library's.
#include <mpi.h>
#include <stdio.h>

#if OMPI_MAJOR_VERSION < 5
#define OTHER MPI_Bcast_init
#else
#define OTHER MPIX_Bcast_init
#endif
int OTHER(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
          MPI_Request* request) __attribute__((weak));

#ifdef LATER
int LATER(void);
int LATER(void) { return 0; }
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int value = rank == 0 ? 7 : 0;
  if (OTHER == 0) {
    printf("the function is not there\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  OTHER(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  int received = 0;
  MPI_Sendrecv(&value, 1, MPI_INT, rank, 1, &received, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return value == 7 && received == 7 ? 0 : 1;
}
