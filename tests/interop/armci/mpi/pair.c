/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   A program as suites of others have them: MPI begins it, ARMCI works. Its argument says what else:
   `reduces` by MPI, `fails` or `complains` where it was compiled BROKEN, `hangs`. */
#include <mpi.h>
/* MPI before what needs it. */
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef BROKEN
enum { broken = 1 };
#else
enum { broken = 0 };
#endif

static void what_else(const char* name) {
  int one = 1, all = 0;
  if (!strcmp(name, "reduces")) MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(name, "fails") && broken) exit(3);
  if (!strcmp(name, "complains") && broken) printf("error: a value\n");
  if (!strcmp(name, "hangs") && broken) sleep(600);
}

int main(int argc, char** argv) {
  int me, ranks;
  MPI_Comm again;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ARMCI_Init();
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  const int next = (me + 1) % ranks;
  void** memory = malloc((size_t)ranks * sizeof *memory);
  ARMCI_Malloc(memory, sizeof(int));
  ARMCI_Put(&me, memory[next], sizeof me, next);
  ARMCI_Barrier();
  int got = -1;
  ARMCI_Get(memory[me], &got, sizeof got, me);
  const int right = got == (me + ranks - 1) % ranks;
  printf(right ? "passed\n" : "mismatch\n");
  if (argc > 1) what_else(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&again);
  ARMCI_Free(memory[me]);
  ARMCI_Finalize();
  MPI_Finalize();
  free(memory);
  return right ? 0 : 1;
}
