/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Bad input: refusals CASE, at rank 1 where the call is not collective. Prints the code that the
   call gave; the job goes on. What has no code ends it. */
#include <armcix.h>
#include <limits.h>
#include <string.h>

#include "check.h"

enum { most_ranks = 16 };

static void* base[most_ranks];
static int me;
static int size;
static double x[64];
static double scale = 1;
static int foreign[4];

/* `result` stays as it is where the case is another function's. */
static void contiguous(const char* name, int* result) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  if (!strcmp(name, "put_null")) *result = ARMCI_Put(x, NULL, 8, 0);
  if (!strcmp(name, "put_from_null")) *result = ARMCI_Put(NULL, base[0], 8, 0);
  if (!strcmp(name, "put_foreign")) *result = ARMCI_Put(x, foreign, 8, 0);
  if (!strcmp(name, "get_foreign")) *result = ARMCI_Get(foreign, x, 8, 0);
  if (!strcmp(name, "put_rank")) *result = ARMCI_Put(x, base[0], 8, size);
  if (!strcmp(name, "get_rank")) *result = ARMCI_Get(base[0], x, 8, -1);
  if (!strcmp(name, "put_negative")) *result = ARMCI_Put(x, base[0], -8, 0);
  if (!strcmp(name, "put_beyond")) *result = ARMCI_Put(x, (char*)base[0] + 504, 16, 0);
  if (!strcmp(name, "nbput_beyond")) *result = ARMCI_NbPut(x, base[0], 513, 0, &handle);
  if (!strcmp(name, "acc_type")) *result = ARMCI_Acc(6, &scale, x, base[0], 8, 0);
  if (!strcmp(name, "acc_scale")) *result = ARMCI_Acc(ARMCI_ACC_DBL, NULL, x, base[0], 8, 0);
  if (!strcmp(name, "acc_part")) *result = ARMCI_Acc(ARMCI_ACC_DBL, &scale, x, base[0], 12, 0);
  if (!strcmp(name, "acc_aligned")) {
    *result = ARMCI_Acc(ARMCI_ACC_DBL, &scale, x, (char*)base[0] + 4, 8, 0);
  }
  if (!strcmp(name, "flag_foreign")) *result = ARMCI_Put_flag(x, base[0], 8, foreign, 1, 0);
  if (!strcmp(name, "value_foreign")) *result = ARMCI_PutValueInt(5, foreign, 0);
}

static void strided(const char* name, int* result) {
  int counts[3] = {8, 4, 2};
  int strides[2] = {16, 64};
  int far[2] = {16, 500};
  int bad[3] = {8, -4, 2};
  int huge[3] = {INT_MAX, INT_MAX, INT_MAX};
  int back[2] = {16, -64};
  void* to = base[0];
  if (!strcmp(name, "puts_levels")) *result = ARMCI_PutS(x, strides, to, strides, counts, 9, 0);
  if (!strcmp(name, "puts_below")) *result = ARMCI_PutS(x, strides, to, strides, counts, -1, 0);
  if (!strcmp(name, "puts_count")) *result = ARMCI_PutS(x, strides, to, strides, bad, 2, 0);
  if (!strcmp(name, "puts_stride")) *result = ARMCI_PutS(x, back, to, strides, counts, 2, 0);
  if (!strcmp(name, "puts_huge")) *result = ARMCI_PutS(x, huge, to, huge, huge, 2, 0);
  if (!strcmp(name, "puts_beyond")) *result = ARMCI_PutS(x, strides, to, far, counts, 2, 0);
  if (!strcmp(name, "gets_arrays")) *result = ARMCI_GetS(to, NULL, x, strides, counts, 2, 0);
  if (!strcmp(name, "puts_counts")) *result = ARMCI_PutS(x, strides, to, strides, NULL, 2, 0);
}

static void vector(const char* name, int* result) {
  void* from[2] = {x, x + 1};
  void* to[2] = {base[0], foreign};
  armci_giov_t list = {from, to, 8, 2};
  if (!strcmp(name, "putv_foreign")) *result = ARMCI_PutV(&list, 1, 0);
  if (!strcmp(name, "putv_list")) *result = ARMCI_PutV(NULL, 1, 0);
  if (!strcmp(name, "putv_length")) *result = ARMCI_PutV(&list, -1, 0);
  list.bytes = 4;
  if (!strcmp(name, "accv_part")) *result = ARMCI_AccV(ARMCI_ACC_DBL, &scale, &list, 1, 0);
  list.bytes = -1;
  if (!strcmp(name, "putv_negative")) *result = ARMCI_PutV(&list, 1, 0);
  list.bytes = 8;
  list.src_ptr_array = NULL;
  if (!strcmp(name, "putv_arrays")) *result = ARMCI_PutV(&list, 1, 0);
}

static void others(const char* name, int* result) {
  if (!strcmp(name, "wait_null")) *result = ARMCI_Wait(NULL);
  if (!strcmp(name, "waitproc_rank")) *result = ARMCI_WaitProc(77);
  if (!strcmp(name, "rmw_operation")) *result = ARMCI_Rmw(4, x, base[0], 1, 0);
  if (!strcmp(name, "rmw_foreign")) *result = ARMCI_Rmw(ARMCI_SWAP, x, foreign, 1, 0);
  if (!strcmp(name, "rmw_aligned")) {
    *result = ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, x, (char*)base[0] + 4, 1, 0);
  }
  if (!strcmp(name, "notify_rank")) *result = armci_notify(99);
  if (!strcmp(name, "free_local")) *result = ARMCI_Free_local(foreign);
  if (!strcmp(name, "free_local_twice")) {
    void* block = ARMCI_Malloc_local(8);
    CHECK(ARMCI_Free_local(block) == 0);
    *result = ARMCI_Free_local(block);
  }
  if (!strcmp(name, "malloc_local")) *result = ARMCI_Malloc_local(-1) == NULL ? -3 : 0;
}

static void transfers(const char* name) {
  int result = 99;
  contiguous(name, &result);
  strided(name, &result);
  vector(name, &result);
  others(name, &result);
  if (result != 99) printf("code %d\n", result);
}

/* One word of what was refused must not have been moved. */
static void untouched(void) {
  for (int i = 0; i < 64; ++i) CHECK(((double*)base[me])[i] == 0);
}

static void mutexes(const char* name, int* result) {
  if (!strcmp(name, "mutexes_negative")) *result = ARMCI_Create_mutexes(me == 1 ? -1 : 2);
  if (!strcmp(name, "mutexes_twice")) {
    CHECK(ARMCI_Create_mutexes(1) == 0);
    *result = ARMCI_Create_mutexes(1);
  }
  if (!strcmp(name, "mutexes_none")) *result = ARMCI_Destroy_mutexes();
  if (!strcmp(name, "mutexes_held")) {
    CHECK(ARMCI_Create_mutexes(1) == 0);
    if (me == 1) ARMCI_Lock(0, 0);
    *result = ARMCI_Destroy_mutexes();
    if (me == 1) ARMCI_Unlock(0, 0);
  }
  if (!strcmp(name, "threads")) *result = ARMCI_Init_thread(3);
}

static void collective(const char* name) {
  int result = 99;
  void* other[most_ranks];
  if (!strcmp(name, "malloc_negative")) result = ARMCI_Malloc(other, me == 1 ? -8 : 8);
  if (!strcmp(name, "malloc_null")) result = ARMCI_Malloc(me == 1 ? NULL : other, 8);
  if (!strcmp(name, "malloc_much")) result = ARMCI_Malloc(other, me == 1 ? 1L << 43 : 8);
  if (!strcmp(name, "free_foreign")) result = ARMCI_Free(me == 1 ? (void*)foreign : base[me]);
  if (!strcmp(name, "free_inside")) result = ARMCI_Free((char*)base[me] + 8);
  if (!strcmp(name, "free_other")) {
    CHECK(ARMCI_Malloc(other, 8) == 0);
    result = ARMCI_Free(me == 1 ? other[me] : base[me]);
    CHECK(ARMCI_Free(other[me]) == 0);
  }
  if (!strcmp(name, "free_twice")) {
    CHECK(ARMCI_Malloc(other, 8) == 0);
    CHECK(ARMCI_Free(other[me]) == 0);
    result = ARMCI_Free(other[me]);
  }
  if (!strcmp(name, "free_under_way") || !strcmp(name, "free_implicit") ||
      !strcmp(name, "free_aggregate")) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    CHECK(ARMCI_Malloc(other, 8) == 0);
    if (!strcmp(name, "free_aggregate")) ARMCI_SET_AGGREGATE_HANDLE(&handle);
    if (me == 1) {
      CHECK(ARMCI_NbPut(x, other[0], 8, 0, !strcmp(name, "free_implicit") ? NULL : &handle) == 0);
    }
    result = ARMCI_Free(other[me]);
    CHECK(ARMCI_Wait(&handle) == 0 && ARMCI_WaitAll() == 0);
    CHECK(ARMCI_Free(other[me]) == 0);
  }
  if (!strcmp(name, "free_empty")) { /* rank 1 has no part of it, and uses another's */
    CHECK(ARMCI_Malloc(other, me == 1 ? 0 : 8) == 0);
    if (me == 1) CHECK(ARMCI_NbPut(x, other[0], 8, 0, NULL) == 0);
    result = ARMCI_Free(other[me]);
    CHECK(ARMCI_WaitAll() == 0);
    CHECK(ARMCI_Free(other[me]) == 0);
  }
  if (!strcmp(name, "free_group")) {
    ARMCI_Group group;
    ARMCI_Group_get_world(&group);
    CHECK(ARMCIX_Group_dup(&group, &group) == 0);
    CHECK(ARMCI_Malloc_group(other, 8, &group) == 0);
    result = ARMCI_Free(other[me]);
    CHECK(ARMCI_Free_group(other[me], &group) == 0);
  }
  if (!strcmp(name, "group_handle")) {
    ARMCI_Group group;
    memset(&group, 7, sizeof group);
    result = ARMCI_Malloc_group(other, 8, &group);
  }
  if (!strcmp(name, "absolute_id")) {
    ARMCI_Group group;
    ARMCI_Group_get_world(&group);
    result = ARMCI_Absolute_id(&group, size);
  }
  mutexes(name, &result);
  if (result != 99 && me == 1) printf("code %d\n", result);
}

/* These have no code: the job ends with status 2. */
static void ending(const char* name) {
  ARMCI_Group group;
  int list[2] = {0, 0};
  CHECK(ARMCI_Create_mutexes(me == 0 ? 2 : 0) == 0);
  if (me == 1) {
    if (!strcmp(name, "unlock")) ARMCI_Unlock(0, 0);
    if (!strcmp(name, "lock_number")) ARMCI_Lock(2, 0);
    if (!strcmp(name, "lock_number_negative")) ARMCI_Lock(-1, 0);
    if (!strcmp(name, "lock_rank")) ARMCI_Lock(0, size);
    if (!strcmp(name, "lock_twice")) {
      ARMCI_Lock(0, 0);
      ARMCI_Lock(0, 0);
    }
    if (!strcmp(name, "fence_rank")) ARMCI_Fence(-3);
    if (!strcmp(name, "value_get")) (void)ARMCI_GetValueInt(foreign, 0);
    if (!strcmp(name, "group_rank")) {
      list[1] = size;
      ARMCI_Group_create(2, list, &group);
    }
    if (!strcmp(name, "group_twice")) ARMCI_Group_create(2, list, &group);
    if (!strcmp(name, "group_empty")) ARMCI_Group_create(0, list, &group);
    if (!strcmp(name, "send_rank")) armci_msg_snd(1, x, 8, size);
    if (!strcmp(name, "send_negative")) armci_msg_snd(1, x, -8, 0);
    if (!strcmp(name, "send_tag")) armci_msg_snd(-1, x, 8, 0);
    if (!strcmp(name, "receive_short")) {
      armci_msg_snd(1, x, 16, 1);
      armci_msg_rcv(1, x, 8, NULL, 1);
    }
    if (!strcmp(name, "operation")) armci_msg_dgop(x, 1, "max!");
    if (!strcmp(name, "operation_and")) armci_msg_dgop(x, 1, "&&");
    if (!strcmp(name, "operation_or")) armci_msg_dgop(x, 1, "or");
    if (!strcmp(name, "type")) armci_msg_gop_scope(SCOPE_ALL, x, 1, "+", 5);
    if (!strcmp(name, "scope")) armci_msg_gop_scope(3, x, 1, "+", ARMCI_DOUBLE);
    if (!strcmp(name, "domain")) (void)armci_domain_count(1);
    if (!strcmp(name, "access")) ARMCI_Access_begin(foreign);
    if (!strcmp(name, "error")) ARMCI_Error("out of luck", 7);
    if (!strcmp(name, "abort")) armci_msg_abort(300);
  }
  ARMCI_Barrier();
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (!strcmp(name, "before")) {
    const int result = ARMCI_Put(x, x, 8, 0);
    if (armci_msg_me() == 1) printf("code %d\n", result);
    return 0;
  }
  CHECK(ARMCI_Init() == 0);
  me = armci_msg_me();
  size = armci_msg_nproc();
  CHECK(ARMCI_Malloc(base, 512) == 0);
  if (me == 1) transfers(name);
  ARMCI_Barrier();
  untouched();
  collective(name);
  ARMCI_Barrier();
  if (argc > 2) ending(name);
  if (!strcmp(name, "no_finalize")) return 0;
  CHECK(ARMCI_Finalize() == 0);
  if (!strcmp(name, "after") && me == 1) printf("code %d\n", ARMCI_Put(x, base[0], 8, 0));
  return 0;
}
