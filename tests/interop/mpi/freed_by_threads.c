// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that make, use and free communicators at once, each from a parent of its own and all from
// MPI_COMM_WORLD: by all ways, also of parents that are freed first, with messages under way and
// requests kept, and at some ranks later than at others; then one of each of many parents. What
// they share of memory must not grow with their number: freed_by_threads [SEED [ROUNDS]].
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared_bytes.h"

enum { threads = 4, kinds = 7, families = 200, bound = 16 << 20 };

static int me, all, rounds;
static unsigned seed;
static atomic_int failures;
static MPI_Comm parents[threads];
static MPI_Group everyone;

static unsigned draw(unsigned long long* state, unsigned below) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(*state >> 33U) % below;
}

static void expect(const char* what, long is, long wanted) {
  if (is == wanted) return;
  if (++failures < 9) fprintf(stderr, "rank %d: %s: %ld, not %ld\n", me, what, is, wanted);
}

// What an all-reduce says of its members.
static void use(MPI_Comm comm) {
  int size, one = 1, sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect("members of a communicator", sum, size);
}

static MPI_Comm merged(MPI_Comm parent, int tag) {
  MPI_Comm half, both, made;
  const int upper = me >= (all + 1) / 2;
  MPI_Comm_split(parent, upper, me, &half);
  MPI_Intercomm_create(half, 0, parent, upper ? 0 : (all + 1) / 2, tag, &both);
  MPI_Intercomm_merge(both, upper, &made);
  MPI_Comm_free(&half);
  MPI_Comm_free(&both);
  return made;
}

static MPI_Comm made(MPI_Comm parent, unsigned kind, int thread) {
  MPI_Comm comm = MPI_COMM_NULL, before;
  MPI_Request request;
  switch (kind) {
    case 0: MPI_Comm_dup(parent, &comm); break;
    case 1: MPI_Comm_split(parent, me % 2, -me, &comm); break;
    case 2:  // from one that is freed first
      MPI_Comm_dup(parent, &before);
      MPI_Comm_split(before, 0, -me, &comm);
      MPI_Comm_free(&before);
      break;
    case 3:
      MPI_Comm_dup(parent, &comm);
      for (int i = 0; i < 3; ++i) {  // a chain of which the last alone is left
        before = comm;
        MPI_Comm_dup(before, &comm);
        MPI_Comm_free(&before);
      }
      break;
    case 4: MPI_Comm_create_group(MPI_COMM_WORLD, everyone, thread, &comm); break;
    case 5:
      MPI_Comm_idup(parent, &comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default: comm = merged(parent, thread); break;
  }
  return comm;
}

// Frees it while messages are on their way, or before a request of its own is started.
static void free_in_use(MPI_Comm comm, int kept) {
  int size, rank, sent, came = -1;
  MPI_Request requests[2];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  sent = 1000 + rank;
  (kept ? MPI_Recv_init : MPI_Irecv)(&came, 1, MPI_INT, from, 3, comm, &requests[0]);
  (kept ? MPI_Send_init : MPI_Isend)(&sent, 1, MPI_INT, to, 3, comm, &requests[1]);
  MPI_Comm_free(&comm);
  if (kept) MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect("a message of a freed communicator", came, 1000 + from);
  for (int i = 0; kept && i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void* work(void* given) {
  const int number = (int)((MPI_Comm*)given - parents);
  unsigned long long state = seed * 2654435761ULL + (unsigned)number;
  MPI_Comm late = MPI_COMM_NULL;
  for (int round = 0; round < rounds; ++round) {
    const unsigned kind = draw(&state, kinds), in_use = draw(&state, 4);
    MPI_Comm comm = made(parents[number], kind, number);
    use(comm);
    if (late != MPI_COMM_NULL) MPI_Comm_free(&late);
    if (in_use < 2)
      free_in_use(comm, (int)in_use);
    else if (me % 2 != 0)
      late = comm;
    else
      MPI_Comm_free(&comm);
  }
  if (late != MPI_COMM_NULL) MPI_Comm_free(&late);
  return NULL;
}

static void run_threads(void) {
  pthread_t running[threads];
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, work, &parents[i]);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
}

static void share_at_most(long before, const char* when) {
  const long more = shared_bytes() - before;
  if (more <= bound) return;
  fprintf(stderr, "rank %d shares %ld KiB, and %ld more %s\n", me, before >> 10, more >> 10, when);
  ++failures;
}

// Of whose parents no other is made.
static void make_only_children(void) {
  MPI_Comm family[families], child;
  for (int i = 0; i < families; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &family[i]);
  const long before = shared_bytes();
  for (int i = 0; i < families; ++i) {
    MPI_Comm_dup(family[i], &child);
    use(child);
    MPI_Comm_free(&child);
  }
  share_at_most(before, "with one communicator of each parent");
  for (int i = 0; i < families; ++i) MPI_Comm_free(&family[i]);
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  rounds = argc > 2 ? atoi(argv[2]) : 100;
  if (level != MPI_THREAD_MULTIPLE) ++failures;
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  run_threads();
  const long before = shared_bytes();
  run_threads();
  run_threads();
  share_at_most(before, "since");
  make_only_children();
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&parents[i]);
  MPI_Group_free(&everyone);
  int mine = failures, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 0;
}
