/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Words, mutexes, flags and notices; and that none of them needs its owner: rank 0 looks at a
   plain word, and calls nothing, while the others use its memory. */
#include <armcix.h>
#include <sched.h>
#include <string.h>

#include "check.h"

enum { times = 500, most_ranks = 16 };

static void* base[most_ranks];

static void words(int me, int size) {
  int seen = 0;
  long seen_long = 0;
  long mine = 1 + me;
  long sum = 0;
  for (int i = 0; i < times; ++i) {
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &seen, base[0], 2, 0) == 0);
    CHECK(seen % 2 == 0 && seen < 2 * times * size);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen_long, (char*)base[size - 1] + 8, -3,
                    size - 1) == 0);
  }
  ARMCI_Barrier();
  CHECK(ARMCI_GetValueInt(base[0], 0) == 2 * times * size);
  CHECK(ARMCI_GetValueLong((char*)base[size - 1] + 8, size - 1) == -3L * times * size);
  /* What everybody brings by swaps is there, or was taken away by one. */
  for (int i = 0; i < times; ++i) {
    CHECK(ARMCI_Rmw(ARMCI_SWAP_LONG, &mine, (char*)base[0] + 16, 0, 0) == 0);
  }
  ARMCI_Barrier();
  sum = mine + (me == 0 ? *(long*)((char*)base[0] + 16) : 0);
  armci_msg_lgop(&sum, 1, "+");
  CHECK(sum == (long)size * (size + 1) / 2);
  seen = me;
  CHECK(ARMCI_Rmw(ARMCI_SWAP, &seen, (char*)base[me] + 24, 0, me) == 0);
  CHECK(seen == 0 && *(int*)((char*)base[me] + 24) == me);
  ARMCI_Barrier();
}

/* Counts without atomics, of which the mutexes take care. Rank r makes r + 1 of them. */
static void mutexes(int me, int size) {
  CHECK(ARMCI_Create_mutexes(me + 1) == 0);
  for (int i = 0; i < times; ++i) {
    const int owner = i % size;
    const int mutex = i % (owner + 1);
    long* count = (long*)((char*)base[owner] + 64) + mutex;
    ARMCI_Lock(mutex, owner);
    const long before = ARMCI_GetValueLong(count, owner);
    CHECK(ARMCI_PutValueLong(before + 1, count, owner) == 0);
    ARMCI_Fence(owner);
    ARMCI_Unlock(mutex, owner);
  }
  ARMCI_Barrier();
  long all = 0;
  for (int mutex = 0; mutex <= me; ++mutex) all += ((long*)((char*)base[me] + 64))[mutex];
  armci_msg_lgop(&all, 1, "+");
  CHECK(all == (long)times * size);
  /* Several at once, let go in another order. */
  ARMCI_Barrier();
  if (me == 0) {
    for (int owner = 0; owner < size; ++owner) ARMCI_Lock(owner, owner);
    for (int owner = 0; owner < size; ++owner) ARMCI_Unlock(owner, owner);
  }
  CHECK(ARMCI_Destroy_mutexes() == 0);
}

static void mutex_handles(int me, int size) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  armcix_mutex_hdl_t one = ARMCIX_Create_mutexes_hdl(2, &world);
  armcix_mutex_hdl_t other = ARMCIX_Create_mutexes_hdl(me == 0 ? 1 : 0, &world);
  CHECK(one != NULL && other != NULL);
  ARMCIX_Lock_hdl(one, 1, me);
  CHECK(ARMCIX_Trylock_hdl(one, 0, me) == 0);
  ARMCIX_Unlock_hdl(one, 0, me);
  armci_msg_barrier();
  if (size > 1) CHECK(ARMCIX_Trylock_hdl(one, 1, (me + 1) % size) != 0);
  armci_msg_barrier();
  ARMCIX_Unlock_hdl(one, 1, me);
  int taken = 0;
  while (!taken) taken = ARMCIX_Trylock_hdl(other, 0, 0) == 0;
  ARMCIX_Progress();
  ARMCIX_Unlock_hdl(other, 0, 0);
  CHECK(ARMCIX_Destroy_mutexes_hdl(one) == 0);
  CHECK(ARMCIX_Destroy_mutexes_hdl(other) == 0);
}

static void notices(int me, int size) {
  const int next = (me + 1) % size;
  const int before = (me + size - 1) % size;
  for (int i = 1; i <= times; ++i) {
    int waited = 0;
    long value = i;
    CHECK(ARMCI_Put(&value, (char*)base[next] + 512, sizeof value, next) == 0);
    CHECK(armci_notify(next) == i);
    CHECK(armci_notify_wait(before, &waited) >= i);
    CHECK(waited == i);
    CHECK(*(volatile long*)((char*)base[me] + 512) == i);
    armci_msg_barrier();
  }
}

static void wait_for(volatile int* flag, int value) {
  while (*flag != value) sched_yield();
}

/* Right behind ARMCI_Malloc and ARMCI_Create_mutexes, so that nothing is known from before. */
static void silent_owner(int me, int size) {
  char* fresh[most_ranks];
  CHECK(ARMCI_Create_mutexes(1) == 0);
  CHECK(ARMCI_Malloc((void**)fresh, 4096) == 0);
  char* at = fresh[0];
  if (me == 0) {
    for (int i = 1; i < size; ++i) wait_for((int*)at + i, i);
  } else {
    long one = 1;
    long old = 0;
    long data[4] = {1, 2, 3, 4};
    void* from[2] = {data, data + 2};
    void* to[2] = {at + 1024 + 64 * me, at + 1040 + 64 * me};
    armci_giov_t list = {from, to, 16, 2};
    CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, at + 512, sizeof one, 0) == 0);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, at + 520, 1, 0) == 0);
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
    CHECK(ARMCI_PutV(&list, 1, 0) == 0);
    CHECK(armci_notify(0) > 0);
    ARMCI_Fence(0);
    ARMCI_AllFence();
    CHECK(ARMCI_Put_flag(&me, at + 600 + 4 * me, sizeof me, (int*)at + me, me, 0) == 0);
  }
  ARMCI_Barrier();
  if (me == 0) {
    CHECK(*(long*)(at + 512) == size - 1 && *(long*)(at + 520) == size - 1);
    for (int i = 1; i < size; ++i) {
      int waited = 0;
      CHECK(*(int*)(at + 600 + 4 * i) == i && *(long*)(at + 1024 + 64 * i + 24) == 4);
      CHECK(armci_notify_wait(i, &waited) >= waited);
    }
  }
  CHECK(ARMCI_Free(fresh[me]) == 0);
  CHECK(ARMCI_Destroy_mutexes() == 0);
}

static void strided_flag(int me, int size) {
  char* to = (char*)base[(me + 1) % size] + 1024;
  char* mine = (char*)base[me] + 1024;
  int counts[2] = {4, 10};
  int packed[1] = {4};
  int spread[1] = {16};
  int values[10];
  for (int i = 0; i < 10; ++i) values[i] = 100 * me + i;
  CHECK(ARMCI_PutS_flag(values, packed, to, spread, counts, 1, (int*)(to + 512), 5 + me,
                        (me + 1) % size) == 0);
  const int before = (me + size - 1) % size;
  wait_for((int*)(mine + 512), 5 + before);
  for (int i = 0; i < 10; ++i) CHECK(*(int*)(mine + 16 * i) == 100 * before + i);
}

int main(void) {
  CHECK(ARMCI_Init() == 0);
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  CHECK(size <= most_ranks);
  CHECK(ARMCI_Malloc(base, 4096) == 0);
  notices(me, size);
  silent_owner(me, size);
  words(me, size);
  mutexes(me, size);
  mutex_handles(me, size);
  ARMCI_Barrier();
  strided_flag(me, size);
  ARMCI_Barrier();
  CHECK(ARMCI_Free(base[me]) == 0);
  CHECK(ARMCI_Finalize() == 0);
  if (me == 0) printf("synchronisation: %d ranks\n", size);
  return 0;
}
