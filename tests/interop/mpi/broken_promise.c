// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Promises that a communicator sees no wildcard of the source, or of the tag, and breaks it.
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int of_source = argc > 1 && strcmp(argv[1], "source") == 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Info promises;
  MPI_Info_create(&promises);
  MPI_Info_set(promises, of_source ? "mpi_assert_no_any_source" : "mpi_assert_no_any_tag", "true");
  MPI_Comm comm;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, promises, &comm);
  MPI_Info_free(&promises);
  int value = rank;
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 7, comm);
  if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, of_source ? MPI_ANY_SOURCE : 1, of_source ? 7 : MPI_ANY_TAG, comm,
             MPI_STATUS_IGNORE);
  }
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
