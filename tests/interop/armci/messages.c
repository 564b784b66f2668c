/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Every operation of messages, without ARMCI_Init; and domains. */
#include <limits.h>
#include <mp3.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most_ranks = 16, large = 300000 };

static int me;
static int size;

static void pairs(void) {
  char* data = malloc(large);
  for (int bytes = 0; bytes <= large; bytes = bytes * 7 + 1) {
    int got = -1;
    memset(data, me, (size_t)bytes);
    if (me == 0) {
      for (int from = 1; from < size; ++from) {
        armci_msg_rcv(from, data, large, &got, from);
        CHECK(got == bytes && (bytes == 0 || data[bytes - 1] == from));
      }
      for (int i = 1; i < size; ++i) {
        const int from = armci_msg_rcvany(7, data, large, &got);
        CHECK(from > 0 && from < size && got == bytes && (bytes == 0 || data[0] == from));
      }
      /* Who is answered sends the next ones, which must not come before others' of this turn. */
      for (int to = 1; to < size; ++to) armci_msg_snd(8, &got, sizeof got, to);
    } else {
      int seen = 0;
      armci_msg_snd(me, data, bytes, 0);
      armci_msg_snd(7, data, bytes, 0);
      armci_msg_rcv(8, &seen, sizeof seen, NULL, 0);
      CHECK(seen == bytes);
    }
  }
  free(data);
}

static void broadcasts(void) {
  for (int root = 0; root < size; ++root) {
    long value = me == root ? 100 + root : 0;
    armci_msg_bcast(&value, sizeof value, root);
    CHECK(value == 100 + root);
    value = me == root ? 200 + root : 0;
    armci_msg_brdcst(&value, sizeof value, root);
    CHECK(value == 200 + root);
    value = me == root ? 300 + root : 0;
    armci_msg_bcast_scope(SCOPE_MASTERS, &value, sizeof value, root);
    CHECK(value == 300 + root);
    value = me;
    armci_msg_bcast_scope(SCOPE_NODE, &value, sizeof value, me);
    armci_msg_clus_brdcst(&value, sizeof value);
    CHECK(value == me);
  }
}

static void sums(void) {
  int i[3] = {me, -me, 1};
  long l[2] = {me + 1, 2};
  long long ll[1] = {LLONG_MAX};
  float f[2] = {(float)me, (float)(size - me)};
  double d[2] = {me - 0.5, -me - 1};
  armci_msg_igop(i, 3, "+");
  CHECK(i[0] == size * (size - 1) / 2 && i[1] == -i[0] && i[2] == size);
  long factorial = 1;
  for (int k = 1; k <= size; ++k) factorial *= k;
  armci_msg_lgop(l, 2, "*");
  CHECK(l[0] == factorial && l[1] == 1L << size);
  armci_msg_llgop(ll, 1, "min");
  CHECK(ll[0] == LLONG_MAX);
  armci_msg_fgop(f, 2, "max");
  CHECK(f[0] == (float)(size - 1) && f[1] == (float)size);
  armci_msg_dgop(d, 2, "absmin");
  CHECK(d[0] == 0.5 && d[1] == 1);
  d[0] = -me;
  armci_msg_dgop(d, 1, "absmax");
  CHECK(d[0] == size - 1);
  i[0] = 1 << me;
  armci_msg_igop(i, 1, "or");
  CHECK(i[0] == (1 << size) - 1);
  i[0] = -5 - me;
  armci_msg_gop_scope(SCOPE_ALL, i, 1, "absmin", ARMCI_INT);
  CHECK(i[0] == 5);
  f[0] = -2;
  armci_msg_gop_scope(SCOPE_NODE, f, 1, "absmax", ARMCI_FLOAT);
  CHECK(f[0] == 2);
  armci_msg_igop(NULL, 0, "+");
}

static void reductions(void) {
  double d[2] = {me, 1};
  long l = me;
  armci_msg_reduce(d, 2, "+", ARMCI_DOUBLE);
  CHECK(d[1] == (me == 0 ? size : 1));
  CHECK(d[0] == (me == 0 ? size * (size - 1) / 2 : me));
  armci_msg_reduce_scope(SCOPE_MASTERS, &l, 1, "max", ARMCI_LONG);
  CHECK(l == (me == 0 ? size - 1 : me));
}

/* Bits, and truth: 1 for all that is not 0. Each has two names. */
static void bits_and_truth(void) {
  for (int second = 0; second < 2; ++second) {
    int bits[2] = {~(1 << me), 1 << me};
    long truth[3] = {me + 2, me == 0, 0};
    long long none = me;
    armci_msg_igop(bits, 1, second ? "band" : "&");
    armci_msg_igop(bits + 1, 1, second ? "bor" : "|");
    CHECK(bits[0] == ~((1 << size) - 1) && bits[1] == (1 << size) - 1);
    armci_msg_lgop(truth, 1, second ? "land" : "&&");
    armci_msg_lgop(truth + 1, 2, second ? "lor" : "||");
    CHECK(truth[0] == 1 && truth[1] == 1 && truth[2] == 0);
    armci_msg_llgop(&none, 1, "&&");
    CHECK(none == 0);
    truth[0] = 4;
    armci_msg_clus_lgop(truth, 1, "||");
    CHECK(truth[0] == 1);
  }
}

static void within_domains(void) {
  int i = -3;
  long l = -4;
  long long ll = 5;
  float f = 6;
  double d = -7;
  armci_msg_clus_igop(&i, 1, "+");
  armci_msg_clus_lgop(&l, 1, "absmax");
  armci_msg_clus_llgop(&ll, 1, "*");
  armci_msg_clus_fgop(&f, 1, "min");
  armci_msg_clus_dgop(&d, 1, "absmin");
  CHECK(i == -3 && l == 4 && ll == 5 && f == 6 && d == 7);
}

static void selections(void) {
  struct {
    double key;
    int who;
    char text[20];
  } item = {(me * 7 + 3) % size, me, "rank"};
  const double key = item.key;
  sprintf(item.text, "rank %d", me);
  armci_msg_sel(&item, sizeof item, "max", ARMCI_DOUBLE, 1);
  CHECK(item.key >= key && item.key == (item.who * 7 + 3) % size);
  char expected[32];
  sprintf(expected, "rank %d", item.who);
  CHECK(strcmp(item.text, expected) == 0);
  int pair[2] = {me, 10 * me};
  armci_msg_sel_scope(SCOPE_ALL, pair, sizeof pair, "min", ARMCI_INT, me == size - 1);
  CHECK(pair[0] == size - 1 && pair[1] == 10 * (size - 1));
  long mine = me; /* nobody */
  armci_msg_sel(&mine, sizeof mine, "min", ARMCI_LONG, 0);
  CHECK(mine == me);
  float tie[2] = {1, (float)me};
  armci_msg_sel(tie, sizeof tie, "max", ARMCI_FLOAT, 1);
  CHECK(tie[1] == 0);
}

static void trees(void) {
  int root = -2, up = -2, left = -2, right = -2;
  int reached = 1;
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  CHECK(root == 0 && (up == -1) == (me == 0));
  if (left >= 0) {
    int below = 0;
    armci_msg_rcv(9, &below, sizeof below, NULL, left);
    reached += below;
  }
  if (right >= 0) {
    int below = 0;
    armci_msg_rcv(9, &below, sizeof below, NULL, right);
    reached += below;
  }
  if (up >= 0) armci_msg_snd(9, &reached, sizeof reached, up);
  if (me == 0) CHECK(reached == size);
  armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
  CHECK(root == me && up == -1 && left == -1 && right == -1);
}

static void addresses(void) {
  void* all[most_ranks] = {0};
  all[me] = &all[me];
  armci_exchange_address(all, size);
  CHECK(all[me] == &all[me]);
  for (int i = 0; i < size; ++i) CHECK(all[i] != NULL);
}

static void domains(void) {
  int ranks = 0;
  for (int id = 0; id < armci_domain_count(ARMCI_DOMAIN_SMP); ++id) {
    for (int k = 0; k < armci_domain_nprocs(ARMCI_DOMAIN_SMP, id); ++k) {
      const int proc = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, id, k);
      CHECK(proc >= 0 && proc < size && armci_domain_id(ARMCI_DOMAIN_SMP, proc) == id);
      CHECK(armci_domain_same_id(ARMCI_DOMAIN_SMP, proc) ==
            (id == armci_domain_my_id(ARMCI_DOMAIN_SMP)));
      CHECK(ARMCI_Same_node(proc) == armci_domain_same_id(ARMCI_DOMAIN_SMP, proc));
      ++ranks;
    }
  }
  CHECK(ranks == size && ARMCI_Same_node(me));
  CHECK(ARMCI_Uses_shm() == 0);
  ARMCI_Set_shm_limit(1000);
}

int main(int argc, char** argv) {
  MP_INIT(argc, argv);
  MP_MYID(&me);
  MP_PROCS(&size);
  pairs();
  broadcasts();
  sums();
  reductions();
  bits_and_truth();
  within_domains();
  selections();
  trees();
  addresses();
  domains();
  MP_BARRIER();
  CHECK(MP_TIMER() > 0);
  MP_FINALIZE();
  if (me == 0) printf("messages: %d ranks\n", size);
  return 0;
}
