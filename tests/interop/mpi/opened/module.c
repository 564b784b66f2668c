// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an interpreter opens: linked with an MPI, while the program is not.
#include <mpi.h>
#include <stdio.h>

int run_module(void);

int run_module(void) {
  int initialized = 0, rank, ranks, sum = 0, wrong = 0;
  MPI_Init(NULL, NULL);
  MPI_Initialized(&initialized);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  wrong += !initialized || sum != ranks * (ranks - 1) / 2;
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  double number = rank == 1 ? 4.5 : 0;
  MPI_Request request;
  MPI_Ibcast(&number, 1, MPI_DOUBLE, 1, twin, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += number != 4.5;
  MPI_Comm_free(&twin);
  if (wrong) fprintf(stderr, "rank %d: wrong results\n", rank);
  MPI_Finalize();
  return wrong;
}
