/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   A program for Global Arrays: rows of a matrix that are written by one rank, added to by all and
   read by another, a group of the even ranks, a counter, and operations of all. */
#include <mpi.h>
/* MPI before what needs it. */
#include <ga.h>
#include <macdecls.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) {                                          \
      fprintf(stderr, "rank %d: %s\n", GA_Nodeid(), #condition); \
      GA_Error("a check failed", 1);                             \
    }                                                            \
  } while (0)

enum { n = 60 };

static void matrix(int me, int ranks) {
  static double mine[n], row[n];
  int dims[2] = {n, n}, width[1] = {n};
  double scale = 2;
  const int array = NGA_Create(C_DBL, 2, dims, "matrix", NULL);
  GA_Zero(array);
  for (int i = 0; i < n; ++i) mine[i] = i;
  for (int i = me; i < n; i += ranks) {
    int low[2] = {i, 0}, high[2] = {i, n - 1};
    NGA_Put(array, low, high, mine, width);
  }
  GA_Sync();
  for (int i = 0; i < n; ++i) {
    int low[2] = {i, 0}, high[2] = {i, n - 1};
    NGA_Acc(array, low, high, mine, width, &scale);
  }
  GA_Sync();
  for (int i = 0; i < n; ++i) {
    int low[2] = {(i + me) % n, 0}, high[2] = {(i + me) % n, n - 1};
    NGA_Get(array, low, high, row, width);
    for (int k = 0; k < n; ++k) CHECK(row[k] == k * (1.0 + 2 * ranks));
  }
  GA_Destroy(array);
}

static void counter(int ranks) {
  int dims[1] = {1}, at[1] = {0};
  long seen = 0, sum, all = 1;
  const int array = NGA_Create(C_LONG, 1, dims, "counter", NULL);
  GA_Zero(array);
  for (int i = 0; i < 100; ++i) seen += NGA_Read_inc(array, at, 1);
  sum = seen;
  GA_Lgop(&sum, 1, "+");
  CHECK(sum == 50L * ranks * (100L * ranks - 1));
  GA_Lgop(&all, 1, "&&");
  CHECK(all == 1);
  GA_Destroy(array);
}

static void even_ranks(int me, int ranks) {
  int* members = malloc((size_t)ranks * sizeof *members);
  const int count = (ranks + 1) / 2;
  for (int i = 0; i < count; ++i) members[i] = 2 * i;
  const int group = GA_Pgroup_create(members, count);
  if (me % 2 == 0) {
    int sum = me;
    GA_Pgroup_igop(group, &sum, 1, "+");
    CHECK(sum == count * (count - 1));
  }
  GA_Sync();
  GA_Pgroup_destroy(group);
  free(members);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  const int me = GA_Nodeid(), ranks = GA_Nnodes();
  CHECK(MA_init(C_DBL, 100000, 100000));
  matrix(me, ranks);
  counter(ranks);
  even_ranks(me, ranks);
  if (me == 0) printf("global_array: %d ranks\n", ranks);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
