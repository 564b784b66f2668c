/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   What ARMCI's operations take, in one program for every library with its interface: with MPI where
   an MPI compiler makes it (WITH_MPI), else alone. A line a cell: operation, bytes, mode, us.
   `alone`: rank 0 to rank 1, the others wait; `all`: all ranks at once, the slowest one.
   bench/compare-mpi --armci starts it with each library in turn: SECONDS a cell, ONLY some
   operations. */
#define _POSIX_C_SOURCE 200809L
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_bytes = 1 << 20, segments = 64, segment = 64, samples = 15 };

static int me, ranks;
static double seconds_a_cell = 0.01;
static const char* only = "";
static char *mine, **memory;

/* What an operation works with. */
struct place {
  int target;
  int bytes;
};

typedef void operation(const struct place* at);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count / 2];
}

static double batch(operation* run, const struct place* at, long times) {
  const double begin = now();
  for (long i = 0; i < times; ++i) run(at);
  return (now() - begin) / (double)times;
}

/* Rank 0's choice is that of all. */
static long times_a_batch(operation* run, const struct place* at, int of_all) {
  double once = 0;
  long times = 1;
  for (int i = 0; i < 3; ++i) once = batch(run, at, 10);
  times = (long)(seconds_a_cell / samples / (once > 1e-9 ? once : 1e-9)) + 1;
  if (of_all) armci_msg_bcast(&times, sizeof times, 0);
  return times;
}

static int wanted(const char* name) {
  char list[256], key[64];
  if (*only == 0) return 1;
  snprintf(list, sizeof list, ",%s,", only);
  snprintf(key, sizeof key, ",%s,", name);
  return strstr(list, key) != NULL;
}

/* One rank works; the others wait for it. */
static void alone(const char* name, operation* run, int bytes) {
  const struct place at = {1 % ranks, bytes};
  if (!wanted(name)) return;
  armci_msg_barrier();
  if (me == 0) {
    double took[samples];
    const long times = times_a_batch(run, &at, 0);
    for (int i = 0; i < samples; ++i) took[i] = batch(run, &at, times);
    printf("%s %d alone %.6f\n", name, bytes, median(took, samples) * 1e6);
  }
  ARMCI_Barrier();
}

/* All work at once. */
static void together(const char* name, operation* run, int bytes) {
  const struct place at = {(me + 1) % ranks, bytes};
  double took[samples];
  if (!wanted(name)) return;
  armci_msg_barrier();
  const long times = times_a_batch(run, &at, 1);
  for (int i = 0; i < samples; ++i) {
    armci_msg_barrier();
    took[i] = batch(run, &at, times);
    armci_msg_dgop(&took[i], 1, "max");
  }
  if (me == 0) printf("%s %d all %.6f\n", name, bytes, median(took, samples) * 1e6);
  ARMCI_Barrier();
}

static void put(const struct place* at) {
  ARMCI_Put(mine, memory[at->target], at->bytes, at->target);
}
static void get(const struct place* at) {
  ARMCI_Get(memory[at->target], mine, at->bytes, at->target);
}

static void put_fence(const struct place* at) {
  put(at);
  ARMCI_Fence(at->target);
}

static void accumulate(const struct place* at) {
  double one = 1;
  ARMCI_Acc(ARMCI_ACC_DBL, &one, mine, memory[at->target], at->bytes, at->target);
}

static void fetch_add(const struct place* at) {
  long old;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory[at->target], 1, at->target);
}

static void exchange(const struct place* at) {
  long value = 1;
  ARMCI_Rmw(ARMCI_SWAP_LONG, &value, memory[at->target], 0, at->target);
}

/* Rows of a matrix at the target, from rows that lie together here. */
static void put_strided(const struct place* at) {
  int counts[2] = {segment, segments}, here = segment, there = 4 * segment;
  ARMCI_PutS(mine, &here, memory[at->target], &there, counts, 1, at->target);
}

static void get_strided(const struct place* at) {
  int counts[2] = {segment, segments}, here = segment, there = 4 * segment;
  ARMCI_GetS(memory[at->target], &there, mine, &here, counts, 1, at->target);
}

static void accumulate_strided(const struct place* at) {
  int counts[2] = {segment, segments}, here = segment, there = 4 * segment;
  double one = 1;
  ARMCI_AccS(ARMCI_ACC_DBL, &one, mine, &here, memory[at->target], &there, counts, 1, at->target);
}

static void put_vector(const struct place* at) {
  void *from[segments], *to[segments];
  armci_giov_t list = {from, to, segment, segments};
  for (int i = 0; i < segments; ++i) {
    from[i] = mine + i * segment;
    to[i] = memory[at->target] + (size_t)((i * 37) % segments) * 4 * segment;
  }
  ARMCI_PutV(&list, 1, at->target);
}

static void lock(const struct place* at) {
  ARMCI_Lock(0, at->target);
  ARMCI_Unlock(0, at->target);
}

static void contended_lock(const struct place* at) {
  (void)at;
  ARMCI_Lock(0, 0);
  ARMCI_Unlock(0, 0);
}

/* One small put to each other rank, then a fence of all of them. */
static void put_to_all(const struct place* at) {
  for (int i = 1; i < ranks; ++i) {
    const struct place other = {(me + i) % ranks, at->bytes};
    put(&other);
  }
}

static void all_fence(const struct place* at) {
  put_to_all(at);
  ARMCI_AllFence();
}

static void fence_barrier(const struct place* at) {
  put_to_all(at);
  ARMCI_Barrier();
}

/* The same by two calls. */
static void fence_then_barrier(const struct place* at) {
  put_to_all(at);
  ARMCI_AllFence();
  armci_msg_barrier();
}

static void all_cells(void) {
  static const int sizes[] = {8, 1024, 65536, most_bytes};
  for (int i = 0; i < 4; ++i) alone("put", put, sizes[i]);
  alone("put+fence", put_fence, 8);
  for (int i = 0; i < 4; ++i) alone("get", get, sizes[i]);
  for (int i = 0; i < 3; ++i) alone("accumulate", accumulate, sizes[i]);
  memset(mine, 0, most_bytes);
  alone("fetch-add", fetch_add, 8);
  alone("swap", exchange, 8);
  alone("put-strided", put_strided, segments * segment);
  alone("get-strided", get_strided, segments * segment);
  alone("acc-strided", accumulate_strided, segments * segment);
  alone("put-vector", put_vector, segments * segment);
  alone("lock", lock, 0);
  together("lock", contended_lock, 0);
  together("all-fence", all_fence, 8);
  together("fence-barrier", fence_barrier, 8);
  together("fence+barrier", fence_then_barrier, 8);
}

int main(int argc, char** argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  ARMCI_Init();
  if (argc > 1) seconds_a_cell = atof(argv[1]);
  if (argc > 2) only = argv[2];
  me = armci_msg_me();
  ranks = armci_msg_nproc();
  memory = malloc((size_t)ranks * sizeof *memory);
  ARMCI_Malloc((void**)memory, most_bytes);
  mine = ARMCI_Malloc_local(most_bytes);
  memset(mine, 0, most_bytes);
  memset(memory[me], 0, most_bytes);
  ARMCI_Create_mutexes(1);
  ARMCI_Barrier();
  all_cells();
  fflush(stdout);
  ARMCI_Destroy_mutexes();
  ARMCI_Free(memory[me]);
  ARMCI_Free_local(mine);
  ARMCI_Finalize();
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  free(memory);
  return 0;
}
