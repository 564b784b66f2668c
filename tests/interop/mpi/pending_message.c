// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 1 waits in a collective for rank 0, which waits for rank 1 to take a large message, while
// another message of rank 0 lies at rank 1 unreceived: whoever waits in a collective lets the
// library go on, whatever there is.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { large = 1 << 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = malloc(large);
  int wrong = 0;
  for (int turn = 0; turn < 20 && rank < 2; ++turn) {
    int early = turn;
    MPI_Request coming = MPI_REQUEST_NULL;
    if (rank == 0) {
      for (int i = 0; i < large; ++i) data[i] = (char)(turn + i);
      MPI_Send(&early, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      MPI_Send(data, large, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else {
      MPI_Irecv(data, large, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &coming);
    }
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != 1;
    if (rank == 0) continue;
    MPI_Wait(&coming, MPI_STATUS_IGNORE);
    MPI_Recv(&early, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += early != turn;
    for (int i = 0; i < large; ++i) wrong += data[i] != (char)(turn + i);
  }
  free(data);
  if (wrong != 0) printf("rank %d: %d values are wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
