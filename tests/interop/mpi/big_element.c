// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
//   big_element MIB: one element of a struct of that many MiB and a byte, as BigMPI makes them for
// counts above 2^31; broadcast, and sent with a receive that is longer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int mib = argc > 1 ? atoi(argv[1]) : 2;
  const size_t bytes = (size_t)mib << 20;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc(bytes + 1, 1);
  MPI_Datatype block, all;
  MPI_Type_contiguous(1 << 20, MPI_BYTE, &block);
  int lengths[2] = {mib, 1};
  MPI_Aint places[2] = {0, (MPI_Aint)bytes};
  MPI_Datatype types[2] = {block, MPI_BYTE};
  MPI_Type_create_struct(2, lengths, places, types, &all);
  MPI_Type_commit(&all);
  if (rank == 0) data[0] = data[bytes / 2] = data[bytes] = 7;
  MPI_Bcast(data, 1, all, 0, MPI_COMM_WORLD);
  int wrong = data[0] != 7 || data[bytes / 2] != 7 || data[bytes] != 7;
  data[0] = data[bytes / 2] = data[bytes] = (char)(rank == 1 ? 9 : 0);
  if (rank == 1) MPI_Send(data, mib, block, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(data, 1, all, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong = wrong || data[0] != 9 || data[bytes / 2] != 9 || data[bytes] != 0;
  }
  if (wrong) fprintf(stderr, "rank %d: wrong bytes\n", rank);
  MPI_Type_free(&all);
  MPI_Type_free(&block);
  free(data);
  MPI_Finalize();
  return wrong;
}
