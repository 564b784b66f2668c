/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   A program that uses MPI and ARMCI: ranks that wait in MPI answer nobody, and their memory is used
   all the same. Groups carry communicators. */
#include <mpi.h>

#include "../check.h"

enum { most_ranks = 16 };

static void waiting_in_mpi(int me, int size) {
  void* base[most_ranks];
  CHECK(ARMCI_Malloc(base, 64) == 0);
  CHECK(ARMCI_Create_mutexes(1) == 0);
  for (int active = 0; active < size; ++active) {
    if (me == active) {
      long one = 1;
      for (int rank = 0; rank < size; ++rank) {
        ARMCI_Lock(0, rank);
        CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, base[rank], sizeof one, rank) == 0);
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &one, (long*)base[rank] + 1, 1, rank) == 0);
        CHECK(one == active);
        one = 1;
        ARMCI_Unlock(0, rank);
      }
      ARMCI_AllFence();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(*(volatile long*)base[me] == active + 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK(ARMCI_Destroy_mutexes() == 0);
  CHECK(ARMCI_Free(base[me]) == 0);
}

static void communicators(int me, int size) {
  ARMCI_Group world;
  ARMCI_Group part;
  MPI_Comm inside;
  int members[most_ranks];
  int n = 0;
  int sum = me;
  int rank = -1;
  ARMCI_Group_get_world(&world);
  inside = *(MPI_Comm*)&world;
  CHECK(MPI_Comm_rank(inside, &rank) == MPI_SUCCESS && rank == me);
  for (int i = size - 1; i >= 0; i -= 2) members[n++] = i;
  ARMCI_Group_create(n, members, &part);
  inside = *(MPI_Comm*)&part;
  if ((size - 1 - me) % 2 == 0) {
    CHECK(MPI_Comm_rank(inside, &rank) == MPI_SUCCESS && rank == (size - 1 - me) / 2);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, inside) == MPI_SUCCESS);
    int expected = 0;
    for (int i = 0; i < n; ++i) expected += members[i];
    CHECK(sum == expected);
  } else {
    CHECK(inside == MPI_COMM_NULL);
  }
  ARMCI_Group_free(&part);
}

int main(int argc, char** argv) {
  int me = -1;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD) == 0);
  CHECK(armci_msg_me() == me && armci_msg_nproc() == size && size <= most_ranks);
  waiting_in_mpi(me, size);
  communicators(me, size);
  if (size > 1) CHECK(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_SELF) == -5);
  CHECK(ARMCI_Finalize() == 0);
  MPI_Finalize();
  if (me == 0) printf("beside: %d ranks\n", size);
  return 0;
}
