/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Handles that carry many operations, implicit operations, aggregates, values. */
#include <string.h>

#include "check.h"

enum { n = 500, most_ranks = 16 };

static void* base[most_ranks];

static void one_handle_for_many(int me, int size) {
  armci_hdl_t handle;
  double values[n];
  double back[n];
  ARMCI_INIT_HANDLE(&handle);
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_Test(&handle) == 0);
  for (int rank = 0; rank < size; ++rank) {
    double* to = (double*)base[rank] + me * n;
    for (int i = 0; i < n; ++i) {
      values[i] = 10000 * me + i;
      CHECK(ARMCI_NbPut(values + i, to + i, sizeof *values, rank, &handle) == 0);
    }
    CHECK(ARMCI_Wait(&handle) == 0);
    for (int i = 0; i < n; ++i) {
      CHECK(ARMCI_NbGet(to + i, back + n - 1 - i, sizeof *back, rank, &handle) == 0);
    }
    while (ARMCI_Test(&handle) != 0) {
    }
    for (int i = 0; i < n; ++i) CHECK(back[n - 1 - i] == 10000 * me + i);
  }
  CHECK(ARMCI_Wait(&handle) == 0);
  ARMCI_Barrier();
}

/* Many handles at once; some are never waited for, but a fence comes behind them. */
static void many_handles(int me, int size) {
  armci_hdl_t handles[n];
  double value = me + 0.5;
  for (int i = 0; i < n; ++i) {
    ARMCI_INIT_HANDLE(handles + i);
    const int rank = (me + i) % size;
    CHECK(ARMCI_NbPut(&value, (double*)base[rank] + me * n + i, sizeof value, rank, handles + i) ==
          0);
  }
  for (int i = 0; i < n; i += 2) CHECK(ARMCI_Wait(handles + i) == 0);
  ARMCI_AllFence();
  for (int i = 1; i < n; i += 4) CHECK(ARMCI_Test(handles + i) == 0);
  for (int i = 0; i < n; ++i) {
    const int rank = (me + i) % size;
    CHECK(ARMCI_GetValueDouble((double*)base[rank] + me * n + i, rank) == value);
  }
  ARMCI_Barrier();
}

static void aggregates(int me, int size) {
  armci_hdl_t handle;
  double values[n];
  double scale = 2;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int i = 0; i < n; ++i) values[i] = me + 2 * i;
  for (int i = 0; i < n; ++i) { /* to one rank, then to the next */
    const int rank = (me + i / 100) % size;
    CHECK(ARMCI_NbPut(values + i, (double*)base[rank] + me * n + i, sizeof *values, rank,
                      &handle) == 0);
  }
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  CHECK(ARMCI_Wait(&handle) == 0);
  for (int i = 0; i < n; ++i) {
    const int rank = (me + i / 100) % size;
    CHECK(ARMCI_GetValueDouble((double*)base[rank] + me * n + i, rank) == values[i]);
  }
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  CHECK(ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, values, (double*)base[me] + me * n, sizeof values, me,
                    &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_GetValueDouble((double*)base[me] + me * n, me) == 3 * values[0]);
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  ARMCI_Barrier();
}

static void implicit(int me, int size) {
  double values[most_ranks];
  double back[most_ranks];
  for (int round = 0; round < 5000; ++round) {
    for (int rank = 0; rank < size; ++rank) {
      values[rank] = round + 0.25 * me;
      CHECK(ARMCI_NbPut(values + rank, (double*)base[rank] + me * n, sizeof *values, rank, NULL) ==
            0);
    }
    if (round % 100 != 0) continue;
    for (int rank = 0; rank < size; ++rank) CHECK(ARMCI_WaitProc(rank) == 0);
    for (int rank = 0; rank < size; ++rank) {
      CHECK(ARMCI_NbGet((double*)base[rank] + me * n, back + rank, sizeof *back, rank, NULL) == 0);
    }
    CHECK(ARMCI_WaitAll() == 0);
    for (int rank = 0; rank < size; ++rank) CHECK(back[rank] == round + 0.25 * me);
  }
  ARMCI_Barrier();
}

static void values(int me, int size) {
  armci_hdl_t handle;
  char* to = (char*)base[(me + 1) % size] + 64 * me;
  const int rank = (me + 1) % size;
  ARMCI_INIT_HANDLE(&handle);
  CHECK(ARMCI_PutValueInt(-me, to, rank) == 0);
  CHECK(ARMCI_PutValueLong(1L << 40, to + 8, rank) == 0);
  CHECK(ARMCI_PutValueFloat(0.5F, to + 16, rank) == 0);
  CHECK(ARMCI_PutValueDouble(0.1, to + 24, rank) == 0);
  CHECK(ARMCI_NbPutValueInt(me, to + 32, rank, &handle) == 0);
  CHECK(ARMCI_NbPutValueLong(2L << 40, to + 40, rank, NULL) == 0);
  CHECK(ARMCI_NbPutValueFloat(1.5F, to + 48, rank, &handle) == 0);
  CHECK(ARMCI_NbPutValueDouble(1.1, to + 56, rank, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_GetValueInt(to, rank) == -me && ARMCI_GetValueInt(to + 32, rank) == me);
  CHECK(ARMCI_GetValueLong(to + 8, rank) == 1L << 40);
  CHECK(ARMCI_GetValueLong(to + 40, rank) == 2L << 40);
  CHECK(ARMCI_GetValueFloat(to + 16, rank) == 0.5F);
  CHECK(ARMCI_GetValueFloat(to + 48, rank) == 1.5F);
  CHECK(ARMCI_GetValueDouble(to + 24, rank) == 0.1);
  CHECK(ARMCI_GetValueDouble(to + 56, rank) == 1.1);
  ARMCI_Barrier();
}

int main(void) {
  CHECK(ARMCI_Init() == 0);
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  CHECK(size <= most_ranks);
  CHECK(ARMCI_Malloc(base, size * n * (armci_size_t)sizeof(double)) == 0);
  one_handle_for_many(me, size);
  many_handles(me, size);
  aggregates(me, size);
  implicit(me, size);
  values(me, size);
  CHECK(ARMCI_Free(base[me]) == 0); /* nothing is under way */
  CHECK(ARMCI_Finalize() == 0);
  if (me == 0) printf("nonblocking: %d ranks\n", size);
  return 0;
}
