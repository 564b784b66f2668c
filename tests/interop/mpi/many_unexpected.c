// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
//   many_unexpected MESSAGES: rank 1 sends small messages that rank 0 receives after a later one.
// MPI does not promise that such sends return, but all MPI libraries copy small messages, and
// programs rely on that.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int number = argc > 1 ? atoi(argv[1]) : 1000;
  int rank, wrong = 0, last = -1;
  MPI_Datatype sparse;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(2, 1, 2, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  if (rank == 1) {
    for (int i = 0; i < number; ++i) {
      int data[3] = {i, -1, i + 1};
      MPI_Request request = MPI_REQUEST_NULL;
      if (i % 3 == 0) MPI_Send(data, 3, MPI_INT, 0, 1, MPI_COMM_WORLD);
      if (i % 3 == 1) MPI_Isend(data, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
      if (i % 3 == 2) MPI_Send(data, 1, sparse, 0, 1, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      data[0] = data[2] = -2;
    }
    MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    MPI_Recv(&last, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += last != number;
    for (int i = 0; i < number; ++i) {
      int data[3] = {0};
      MPI_Status status;
      int ints = 0;
      MPI_Recv(data, 3, MPI_INT, i % 2 == 0 ? MPI_ANY_SOURCE : 1, 1, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &ints);
      wrong += data[0] != i || data[ints - 1] != i + 1 || ints != (i % 3 == 2 ? 2 : 3);
    }
  }
  if (wrong != 0) fprintf(stderr, "rank %d: %d messages are wrong\n", rank, wrong);
  MPI_Type_free(&sparse);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong != 0;
}
