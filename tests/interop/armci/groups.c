/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Groups of some ranks, groups of groups, their memory, mutexes and global operations. */
#include <armcix.h>
#include <string.h>

#include "check.h"

enum { most_ranks = 16 };

/* The group has ranks `first`, first + 2, ... of the world. */
static void use(ARMCI_Group* group, int first, int me) {
  void* base[most_ranks];
  int rank = -2;
  int size = -2;
  CHECK(ARMCI_Group_rank(group, &rank) == 0);
  ARMCI_Group_size(group, &size);
  CHECK(rank == (me - first) / 2);
  for (int i = 0; i < size; ++i) CHECK(ARMCI_Absolute_id(group, i) == first + 2 * i);
  CHECK(ARMCI_Malloc_group(base, 64, group) == 0);
  const int next = ARMCI_Absolute_id(group, (rank + 1) % size);
  CHECK(ARMCI_Put(&me, base[(rank + 1) % size], sizeof me, next) == 0);
  ARMCI_AllFence();
  armci_msg_group_barrier(group);
  CHECK(*(int*)base[rank] == ARMCI_Absolute_id(group, (rank + size - 1) % size));
  double sum = me;
  armci_msg_group_dgop(&sum, 1, "+", group);
  CHECK(sum == size * first + size * (size - 1));
  int most = me;
  armci_msg_group_igop(&most, 1, "max", group);
  CHECK(most == ARMCI_Absolute_id(group, size - 1));
  long bits = 1L << me;
  armci_msg_group_lgop(&bits, 1, "or", group);
  CHECK((bits & (1L << first)) != 0);
  float least = (float)me;
  armci_msg_group_fgop(&least, 1, "min", group);
  CHECK(least == (float)first);
  long long product = 2;
  armci_msg_group_llgop(&product, 1, "*", group);
  CHECK(product == 1LL << size);
  armci_msg_group_gop_scope(SCOPE_ALL, &product, 1, "+", ARMCI_LONG_LONG, group);
  CHECK(product == size * (1LL << size));
  char text[8] = "";
  if (rank == size - 1) strcpy(text, "group");
  armci_msg_group_bcast_scope(SCOPE_ALL, text, sizeof text, ARMCI_Absolute_id(group, size - 1),
                              group);
  CHECK(strcmp(text, "group") == 0);
  int code = rank == 0 ? 42 : 0;
  armci_grp_clus_brdcst(&code, sizeof code, 0, size, group);
  CHECK(code == 42);
  void* addresses[most_ranks] = {0};
  addresses[rank] = base[rank];
  armci_exchange_address_grp(addresses, size, group);
  for (int i = 0; i < size; ++i) CHECK(addresses[i] == base[i]);
  armcix_mutex_hdl_t mutexes = ARMCIX_Create_mutexes_hdl(1, group);
  ARMCIX_Lock_hdl(mutexes, 0, next);
  ARMCIX_Unlock_hdl(mutexes, 0, next);
  CHECK(ARMCIX_Destroy_mutexes_hdl(mutexes) == 0);
  CHECK(ARMCI_Free_group(base[rank], group) == 0);
}

static void halves(int me, int size) {
  int members[most_ranks];
  for (int first = 0; first < 2 && first < size; ++first) {
    ARMCI_Group group;
    int n = 0;
    int rank = 0;
    for (int i = first; i < size; i += 2) members[n++] = i;
    ARMCI_Group_create(n, members, &group);
    CHECK(ARMCI_Group_rank(&group, &rank) == 0);
    if (me % 2 == first) {
      use(&group, first, me);
    } else {
      CHECK(rank == -1);
    }
    ARMCI_Group_free(&group);
  }
}

/* By the default group, and a child of it; backwards. */
static void children(int me, int size) {
  ARMCI_Group all;
  ARMCI_Group half;
  ARMCI_Group child;
  ARMCI_Group standard;
  int members[most_ranks];
  int rank = -2;
  const int n = (size + 1) / 2;
  ARMCI_Group_get_world(&all);
  for (int i = 0; i < n; ++i) members[i] = n - 1 - i;
  ARMCI_Group_create(n, members, &half);
  if (me < n) {
    ARMCI_Group_set_default(&half);
    ARMCI_Group_get_default(&standard);
    CHECK(ARMCI_Group_rank(&standard, &rank) == 0 && rank == n - 1 - me);
    members[0] = 0;
    ARMCI_Group_create(1, members, &child);
    CHECK(ARMCI_Group_rank(&child, &rank) == 0 && rank == (me == n - 1 ? 0 : -1));
    ARMCI_Group_free(&child);
    members[0] = n - 1;
    ARMCI_Group_create_child(1, members, &child, &half);
    CHECK(ARMCI_Group_rank(&child, &rank) == 0 && rank == (me == 0 ? 0 : -1));
    if (me == 0) CHECK(ARMCI_Absolute_id(&child, 0) == 0);
    ARMCI_Group_free(&child);
    ARMCI_Group_free(&half);
    ARMCI_Group_get_default(&standard);
    ARMCI_Group_size(&standard, &rank);
    CHECK(rank == size);
  }
  ARMCI_Group_set_default(&all);
}

static void colors(int me, int size) {
  ARMCI_Group all;
  ARMCI_Group same;
  ARMCI_Group twin;
  int rank = -2;
  ARMCI_Group_get_world(&all);
  CHECK(ARMCI_Uses_shm_grp(&all) == 0);
  CHECK(ARMCIX_Group_split(&all, me % 2, me, &same) == 0);
  use(&same, me % 2, me);
  CHECK(ARMCIX_Group_dup(&same, &twin) == 0);
  ARMCI_Group_free(&same);
  use(&twin, me % 2, me);
  ARMCI_Group_free(&twin);
  CHECK(ARMCIX_Group_split(&all, me == 0 ? 0 : -1, 0, &same) == 0);
  CHECK(ARMCI_Group_rank(&same, &rank) == 0 && rank == (me == 0 ? 0 : -1));
  ARMCI_Group_free(&same);
  CHECK(ARMCIX_Group_split(&all, 0, -me, &same) == 0);
  CHECK(ARMCI_Group_rank(&same, &rank) == 0 && rank == size - 1 - me);
  ARMCI_Group_free(&same);
}

int main(void) {
  CHECK(ARMCI_Init() == 0);
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  CHECK(size <= most_ranks);
  for (int i = 0; i < 3; ++i) {
    halves(me, size);
    children(me, size);
    colors(me, size);
  }
  CHECK(ARMCI_Finalize() == 0);
  if (me == 0) printf("groups: %d ranks\n", size);
  return 0;
}
