/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Random transfers of all shapes against plain loops over arrays: random_transfers SEED. Each rank
   has a slice of its own at every rank, which it alone changes, and all add to a common one. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { slice = 4096, common = 512, rounds = 300, most_ranks = 16 };
enum { put, get, add };

static unsigned long long state;
static char* expected[most_ranks]; /* of my slice at each rank */
static char* memory[most_ranks];   /* slice of rank r at r * slice; then the common one */
static long added[most_ranks][common];
static char buffer[4 * slice];
static char before[4 * slice];

static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

static void fill(void) {
  for (int i = 0; i < (int)sizeof buffer; ++i) buffer[i] = (char)draw(128);
  memcpy(before, buffer, sizeof buffer);
}

/* What a run of bytes becomes: `a` of the target, `b` of this rank. Sums are of ints, scale 3. */
static void model(int what, char* a, char* b, int bytes) {
  if (what == put) memcpy(a, b, (size_t)bytes);
  if (what == get) memcpy(b, a, (size_t)bytes);
  for (int i = 0; what == add && i < bytes; i += 4) {
    unsigned sum, term;
    memcpy(&sum, a + i, 4);
    memcpy(&term, b + i, 4);
    sum += 3 * term;
    memcpy(a + i, &sum, 4);
  }
}

static void finish(int how, int rank, armci_hdl_t* handle) {
  if (how == 1) {
    CHECK(ARMCI_Wait(handle) == 0);
  } else if (how == 2) {
    CHECK(draw(2) ? ARMCI_WaitProc(rank) == 0 : ARMCI_WaitAll() == 0);
  } else if (how == 3) {
    while (ARMCI_Test(handle) != 0) {
    }
  }
}

/* how: 0 blocking, 1 and 3 by handle, 2 implicit */
static void contiguous(int me, int what, int rank, int how) {
  armci_hdl_t handle;
  int scale = 3;
  const int unit = what == add ? 4 : 1;
  const int bytes = (int)draw(1000) / unit * unit;
  const int at = (int)draw((unsigned)(slice - bytes)) / unit * unit;
  char* remote = memory[rank] + me * slice + at;
  ARMCI_INIT_HANDLE(&handle);
  armci_hdl_t* under = how == 2 ? NULL : &handle;
  if (what == put && how == 3) ARMCI_SET_AGGREGATE_HANDLE(&handle);
  int bad = 0;
  if (what == put && how == 0) bad = ARMCI_Put(buffer, remote, bytes, rank);
  if (what == get && how == 0) bad = ARMCI_Get(remote, buffer, bytes, rank);
  if (what == add && how == 0) {
    bad = ARMCI_Acc(ARMCI_ACC_INT, &scale, buffer, remote, bytes, rank);
  }
  if (what == put && how != 0) bad = ARMCI_NbPut(buffer, remote, bytes, rank, under);
  if (what == get && how != 0) bad = ARMCI_NbGet(remote, buffer, bytes, rank, under);
  if (what == add && how != 0) {
    bad = ARMCI_NbAcc(ARMCI_ACC_INT, &scale, buffer, remote, bytes, rank, under);
  }
  CHECK(bad == 0);
  finish(how, rank, &handle);
  model(what, expected[rank] + at, before, bytes);
}

/* Three levels at most: 4 x 5 x 6 runs of up to 16 bytes. */
static void strided(int me, int what, int rank, int how) {
  armci_hdl_t handle;
  int scale = 3;
  const int unit = what == add ? 4 : 1;
  const int levels = (int)draw(4);
  int count[4] = {unit * (1 + (int)draw((unsigned)(16 / unit))), 1, 1, 1};
  int there[3];
  int here[3];
  int extent_there = count[0];
  int extent_here = count[0];
  for (int i = 0; i < levels; ++i) {
    count[i + 1] = 1 + (int)draw(5);
    there[i] = (extent_there + (int)draw(9) + unit - 1) / unit * unit;
    here[i] = extent_here + (int)draw(9);
    extent_there = there[i] * count[i + 1];
    extent_here = here[i] * count[i + 1];
  }
  if (extent_there >= slice || extent_here >= (int)sizeof buffer) return;
  const int at = (int)draw((unsigned)(slice - extent_there)) / unit * unit;
  char* remote = memory[rank] + me * slice + at;
  ARMCI_INIT_HANDLE(&handle);
  armci_hdl_t* under = how == 2 ? NULL : &handle;
  int bad = 0;
  if (what == put && how == 0) bad = ARMCI_PutS(buffer, here, remote, there, count, levels, rank);
  if (what == get && how == 0) bad = ARMCI_GetS(remote, there, buffer, here, count, levels, rank);
  if (what == add && how == 0) {
    bad = ARMCI_AccS(ARMCI_ACC_INT, &scale, buffer, here, remote, there, count, levels, rank);
  }
  if (what == put && how != 0) {
    bad = ARMCI_NbPutS(buffer, here, remote, there, count, levels, rank, under);
  }
  if (what == get && how != 0) {
    bad = ARMCI_NbGetS(remote, there, buffer, here, count, levels, rank, under);
  }
  if (what == add && how != 0) {
    bad = ARMCI_NbAccS(ARMCI_ACC_INT, &scale, buffer, here, remote, there, count, levels, rank,
                       under);
  }
  CHECK(bad == 0);
  finish(how, rank, &handle);
  for (int k = levels; k < 3; ++k) there[k] = here[k] = 0;
  for (int z = 0; z < count[3]; ++z) {
    for (int y = 0; y < count[2]; ++y) {
      for (int x = 0; x < count[1]; ++x) {
        model(what, expected[rank] + at + x * there[0] + y * there[1] + z * there[2],
              before + x * here[0] + y * here[1] + z * here[2], count[0]);
      }
    }
  }
}

/* Two descriptors of segments that do not overlap. */
static void vector(int me, int what, int rank, int how) {
  enum { segments = 12 };
  armci_hdl_t handle;
  int scale = 3;
  void* local[2 * segments];
  void* remote[2 * segments];
  armci_giov_t list[2];
  int order[2 * segments];
  const int length = 1 + (int)draw(2);
  for (int i = 0; i < 2 * segments; ++i) order[i] = i;
  for (int i = 2 * segments - 1; i > 0; --i) {
    const int k = (int)draw((unsigned)i + 1);
    const int kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
  for (int i = 0; i < 2 * segments; ++i) {
    local[i] = buffer + order[2 * segments - 1 - i] * 150;
    remote[i] = memory[rank] + me * slice + order[i] * 160;
  }
  for (int i = 0; i < length; ++i) {
    list[i].bytes = 4 * (int)draw(35);
    list[i].ptr_array_len = (int)draw(segments + 1);
    list[i].src_ptr_array = (what == get ? remote : local) + i * segments;
    list[i].dst_ptr_array = (what == get ? local : remote) + i * segments;
  }
  ARMCI_INIT_HANDLE(&handle);
  armci_hdl_t* under = how == 2 ? NULL : &handle;
  int bad = 0;
  if (what == put && how == 0) bad = ARMCI_PutV(list, length, rank);
  if (what == get && how == 0) bad = ARMCI_GetV(list, length, rank);
  if (what == add && how == 0) bad = ARMCI_AccV(ARMCI_ACC_INT, &scale, list, length, rank);
  if (what == put && how != 0) bad = ARMCI_NbPutV(list, length, rank, under);
  if (what == get && how != 0) bad = ARMCI_NbGetV(list, length, rank, under);
  if (what == add && how != 0) {
    bad = ARMCI_NbAccV(ARMCI_ACC_INT, &scale, list, length, rank, under);
  }
  CHECK(bad == 0);
  finish(how, rank, &handle);
  for (int i = 0; i < length; ++i) {
    for (int k = 0; k < list[i].ptr_array_len; ++k) {
      const int at = i * segments + k;
      model(what, expected[rank] + order[at] * 160, before + ((char*)local[at] - buffer),
            list[i].bytes);
    }
  }
}

static void add_together(int rank, int size) {
  long terms[common];
  long scale = (long)draw(7) - 3;
  const int n = 1 + (int)draw(common - 1);
  const int at = (int)draw((unsigned)(common - n));
  for (int i = 0; i < n; ++i) {
    terms[i] = (long)draw(1000) - 500;
    added[rank][at + i] += scale * terms[i];
  }
  long* to = (long*)(memory[rank] + size * slice) + at;
  CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &scale, terms, to, n * (int)sizeof(long), rank) == 0);
}

/* Everybody's slices, in the owner's memory as its plain loads see it. */
static void compare(int me, int size) {
  static char told[slice];
  ARMCI_Barrier();
  for (int rank = 0; rank < size; ++rank) {
    CHECK(ARMCI_Get(memory[rank] + me * slice, buffer, slice, rank) == 0);
    CHECK(memcmp(buffer, expected[rank], slice) == 0);
    if (rank != me) armci_msg_snd(5, expected[rank], slice, rank);
  }
  CHECK(memcmp(memory[me] + me * slice, expected[me], slice) == 0);
  for (int rank = 0; rank < size; ++rank) {
    int bytes = 0;
    if (rank == me) continue;
    armci_msg_rcv(5, told, slice, &bytes, rank);
    CHECK(bytes == slice);
    CHECK(memcmp(memory[me] + rank * slice, told, slice) == 0);
  }
  for (int rank = 0; rank < size; ++rank) {
    long sums[common];
    memcpy(sums, added[rank], sizeof sums);
    armci_msg_lgop(sums, common, "+");
    if (rank == me) CHECK(memcmp(memory[me] + size * slice, sums, sizeof sums) == 0);
  }
  ARMCI_Barrier();
}

int main(int argc, char** argv) {
  const unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  CHECK(ARMCI_Init() == 0);
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  CHECK(size <= most_ranks);
  if (me == 0) printf("seed %llu\n", seed);
  state = seed * 1000003 + (unsigned long long)me;
  CHECK(ARMCI_Malloc((void**)memory, size * slice + common * (armci_size_t)sizeof(long)) == 0);
  for (int i = 0; i < size; ++i) expected[i] = calloc(slice, 1);
  for (int round = 0; round < rounds; ++round) {
    const int rank = (int)draw((unsigned)size);
    const int what = (int)draw(3);
    const int how = (int)draw(4);
    const int shape = (int)draw(4);
    fill();
    if (shape == 0) contiguous(me, what, rank, how);
    if (shape == 1) strided(me, what, rank, how);
    if (shape == 2) vector(me, what, rank, how);
    if (shape == 3) add_together(rank, size);
    if (memcmp(buffer, before, sizeof buffer) != 0) {
      fprintf(stderr, "seed %llu, round %d: operation %d of shape %d, waited for by %d\n", seed,
              round, what, shape, how);
      ARMCI_Error("this rank's memory is wrong", 1);
    }
    if (round % 100 == 99) compare(me, size);
  }
  CHECK(ARMCI_Free(memory[me]) == 0);
  CHECK(ARMCI_Finalize() == 0);
  if (me == 0) printf("random_transfers: %d ranks\n", size);
  return 0;
}
