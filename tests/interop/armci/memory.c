/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Memory of unequal sizes, contiguous puts and gets, own memory, fences. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { words = 1000 };

/* Rank r has r * 100 words: none at rank 0. */
static void unequal(int me, int size) {
  void** base = malloc(sizeof(void*) * (size_t)size);
  long mine[words];
  CHECK(ARMCI_Malloc(base, (armci_size_t)(me * 100 * (int)sizeof(long))) == 0);
  CHECK(base[0] == NULL);
  for (int to = 1; to < size; ++to) {
    CHECK(base[to] != NULL);
    long* at = (long*)base[to] + (100 * to / size) * me / to;
    const int n = 100 * to / size / to;
    for (int i = 0; i < n; ++i) mine[i] = 1000 * me + i;
    CHECK(ARMCI_Put(mine, at, n * (int)sizeof(long), to) == 0);
    memset(mine, 0, sizeof mine);
    CHECK(ARMCI_Get(at, mine, n * (int)sizeof(long), to) == 0);
    for (int i = 0; i < n; ++i) CHECK(mine[i] == 1000 * me + i);
  }
  ARMCI_Barrier();
  CHECK(ARMCI_Free(base[me]) == 0);
  free(base);
}

static void around(int me, int size) {
  void** base = malloc(sizeof(void*) * (size_t)size);
  long mine[words];
  const int next = (me + 1) % size;
  const int before = (me + size - 1) % size;
  CHECK(ARMCI_Malloc(base, sizeof mine) == 0);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < words; ++i) mine[i] = 100000L * round + 1000 * me + i;
    CHECK(ARMCI_Put(mine, base[next], sizeof mine, next) == 0);
    if (round % 3 == 0) ARMCI_Fence(next);
    if (round % 3 == 1) ARMCI_AllFence();
    ARMCI_Barrier();
    ARMCI_Access_begin(base[me]);
    for (int i = 0; i < words; ++i) {
      CHECK(((long*)base[me])[i] == 100000L * round + 1000 * before + i);
    }
    ARMCI_Access_end(base[me]);
    CHECK(ARMCI_GetValueLong((long*)base[next] + 7, next) == 100000L * round + 1000 * me + 7);
    ARMCI_Barrier();
  }
  CHECK(ARMCI_Free(base[me]) == 0);
  free(base);
}

/* A rank's own memory that is in no allocation, as source, destination and sum. */
static void own(int me) {
  int from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int to[8] = {0};
  int scale = 3;
  int counts[2] = {4, 4};
  int strides[1] = {8};
  CHECK(ARMCI_Put(from, to, sizeof from, me) == 0);
  CHECK(memcmp(from, to, sizeof from) == 0);
  CHECK(ARMCI_Acc(ARMCI_ACC_INT, &scale, from, to, sizeof from, me) == 0);
  CHECK(to[0] == 4 && to[7] == 32);
  CHECK(ARMCI_GetS(from, strides, to, strides, counts, 1, me) == 0);
  CHECK(to[0] == 1 && to[1] == 8 && to[2] == 3 && to[7] == 32);
  CHECK(ARMCI_PutValueInt(77, to, me) == 0);
  CHECK(to[0] == 77 && ARMCI_GetValueInt(to, me) == 77);
  CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &scale, to, 5, me) == 0);
  CHECK(scale == 77 && to[0] == 82);
}

static void local_memory(void) {
  int counts[2] = {2, 3};
  int strides[1] = {4};
  char packed[6];
  char* a = ARMCI_Malloc_local(100);
  CHECK(a != NULL);
  strcpy(a, "abcdefghijk");
  armci_write_strided(a, 1, strides, counts, packed);
  CHECK(memcmp(packed, "abefij", 6) == 0);
  memcpy(packed, "ABCDEF", 6);
  armci_read_strided(a, 1, strides, counts, packed);
  CHECK(memcmp(a, "ABcdCDghEFk", 11) == 0);
  ARMCI_Copy(a, a + 50, 12);
  CHECK(strcmp(a + 50, "ABcdCDghEFk") == 0);
  CHECK(ARMCI_Free_local(a) == 0);
  CHECK(ARMCI_Malloc_local(0) == NULL);
  CHECK(ARMCI_Free_local(NULL) == 0);
}

/* Nothing at all, at all ranks. */
static void empty(int size) {
  void** base = malloc(sizeof(void*) * (size_t)size);
  CHECK(ARMCI_Malloc(base, 0) == 0);
  for (int i = 0; i < size; ++i) CHECK(base[i] == NULL);
  CHECK(ARMCI_Free(NULL) == 0);
  free(base);
}

int main(void) {
  CHECK(ARMCI_Init() == 0);
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  for (int i = 0; i < 3; ++i) unequal(me, size);
  around(me, size);
  own(me);
  local_memory();
  empty(size);
  CHECK(ARMCI_Finalize() == 0);
  if (me == 0) printf("memory: %d ranks\n", size);
  return 0;
}
