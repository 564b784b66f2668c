// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads a rank under MPI_THREAD_MULTIPLE, each with communicators of its own, which it
// makes while the others make theirs: random collectives and messages, blocking, by requests and
// persistent, against computed results. At
// odd ranks a thread begins only when the one before it is half through, so that a rank that kept
// all its threads out while one waits would never end: random_threads [SEED [ROUNDS]].
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, rounds_a_communicator = 8, most = 2000 };

static int me, all, rounds;
static unsigned seed;
static atomic_int failures;
static atomic_int rounds_of[threads];
static MPI_Comm own[threads];

struct worker {
  int number, round;
  unsigned long long state;  // the same at all ranks
  int in[most], out[most];
};

static unsigned draw(struct worker* of, unsigned below) {
  of->state = of->state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(of->state >> 33U) % below;
}

static int value(const struct worker* of, int rank, int at) {
  return of->number * 1000003 + of->round * 7919 + rank * 101 + at;
}

static void expect(const struct worker* of, const char* what, int is, int wanted) {
  if (is == wanted) return;
  if (++failures < 9)
    fprintf(stderr, "rank %d, thread %d, round %d: %s: %d, not %d\n", me, of->number, of->round,
            what, is, wanted);
}

static void expect_sums(const struct worker* of, const char* what, int count) {
  for (int i = 0; i < count; ++i) {
    unsigned wanted = 0;
    for (int r = 0; r < all; ++r) wanted += (unsigned)value(of, r, i);
    expect(of, what, of->in[i], (int)wanted);
  }
}

static void collective(struct worker* of, MPI_Comm comm) {
  const unsigned way = draw(of, 6);
  const int root = (int)draw(of, (unsigned)all), count = (int)draw(of, most / (unsigned)all);
  for (int i = 0; i < most; ++i) {
    of->out[i] = value(of, me, i);
    of->in[i] = -1;
  }
  if (way == 0) MPI_Barrier(comm);
  if (way == 1) {
    int* at = me == root ? of->out : of->in;
    MPI_Bcast(at, count, MPI_INT, root, comm);
    for (int i = 0; i < count; ++i) expect(of, "broadcast", at[i], value(of, root, i));
  }
  if (way == 2) {
    MPI_Allreduce(of->out, of->in, count, MPI_INT, MPI_SUM, comm);
    expect_sums(of, "all-reduce", count);
  }
  if (way == 3) {
    MPI_Alltoall(of->out, count, MPI_INT, of->in, count, MPI_INT, comm);
    for (int i = 0; i < count * all; ++i)
      expect(of, "all-to-all", of->in[i], value(of, i / count, me * count + i % count));
  }
  if (way == 4) {
    MPI_Allgather(of->out, count, MPI_INT, of->in, count, MPI_INT, comm);
    for (int i = 0; i < count * all; ++i)
      expect(of, "all-gather", of->in[i], value(of, i / count, i % count));
  }
  if (way == 5) {
    MPI_Request request;
    MPI_Iallreduce(of->out, of->in, count, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_sums(of, "all-reduce, nonblocking", count);
  }
}

// Messages to the next rank and a collective beside them, completed in one of four ways.
enum { exchanges = 5 };

static void messages(struct worker* of, MPI_Comm comm) {
  static const char* const name = "messages by requests";
  const int number = 1 + (int)draw(of, exchanges), length = 1 + (int)draw(of, most / exchanges / 2);
  const unsigned way = draw(of, 4);
  const int strided = (int)draw(of, 2), to = (me + 1) % all, from = (me + all - 1) % all;
  MPI_Request requests[2 * exchanges + 1];
  MPI_Datatype type;
  MPI_Type_vector(length, 1, 1 + strided, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < most; ++i) {
    of->out[i] = value(of, me, i);
    of->in[i] = -1;
  }
  // Of this round: a rank may be ahead.
  const int apart = most / exchanges, tag = rounds + exchanges * of->round;
  for (int i = 0; i < number; ++i)
    MPI_Irecv(&of->in[i * apart], 1, type, way == 3 ? MPI_ANY_SOURCE : from, tag + i, comm,
              &requests[i]);
  for (int i = 0; i < number; ++i) {
    if (i % 2 == 0)
      MPI_Isend(&of->out[i * apart], 1, type, to, tag + i, comm, &requests[number + i]);
    if (i % 2 != 0)
      MPI_Issend(&of->out[i * apart], 1, type, to, tag + i, comm, &requests[number + i]);
  }
  int one = 1, sum = 0;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2 * number]);
  int left = 2 * number + 1, done = 0, some, indices[2 * exchanges + 1];
  if (way == 0) MPI_Waitall(left, requests, MPI_STATUSES_IGNORE);
  while (way == 1 && left-- > 0) MPI_Waitany(2 * number + 1, requests, &some, MPI_STATUS_IGNORE);
  while (way == 2 && left > 0) {
    MPI_Waitsome(2 * number + 1, requests, &some, indices, MPI_STATUSES_IGNORE);
    left -= some;
  }
  while (way == 3 && !done) MPI_Testall(left, requests, &done, MPI_STATUSES_IGNORE);
  MPI_Type_free(&type);
  expect(of, name, sum, all);
  for (int i = 0; i < number; ++i) {
    for (int j = 0; j < length * (1 + strided) - strided; ++j) {
      const int comes = j % (1 + strided) == 0;
      expect(of, name, of->in[i * apart + j], comes ? value(of, from, i * apart + j) : -1);
    }
  }
}

// Started again and again, and freed.
static void persistent(struct worker* of, MPI_Comm comm) {
  const int tag = rounds * (exchanges + 1) + of->round;
  int sent, came;
  MPI_Request requests[2];
  MPI_Send_init(&sent, 1, MPI_INT, (me + 1) % all, tag, comm, &requests[0]);
  MPI_Recv_init(&came, 1, MPI_INT, (me + all - 1) % all, tag, comm, &requests[1]);
  for (int turn = 0; turn < 3; ++turn) {
    sent = value(of, me, turn);
    came = -1;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(of, "a persistent message", came, value(of, (me + all - 1) % all, turn));
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void message(struct worker* of, MPI_Comm comm) {
  // A tag of the round: any source is the one of this round, though others may be ahead.
  const int by = 1 + (int)draw(of, (unsigned)all), tag = of->round;
  const int from = (me + all - by % all) % all;
  int sent = value(of, me, tag), came = -1;
  MPI_Status status;
  MPI_Sendrecv(&sent, 1, MPI_INT, (me + by) % all, tag, &came, 1, MPI_INT, MPI_ANY_SOURCE, tag,
               comm, &status);
  expect(of, "a message", came, value(of, from, tag));
  expect(of, "its source", status.MPI_SOURCE, from);
}

static void* work(void* given) {
  struct worker* of = given;
  const int before = of->number - 1;
  while (me % 2 != 0 && before >= 0 && rounds_of[before] < rounds / 2) sched_yield();
  MPI_Comm comm = MPI_COMM_NULL;
  for (of->round = 0; of->round < rounds; ++of->round) {
    if (of->round % rounds_a_communicator == 0) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
      MPI_Comm_dup(own[of->number], &comm);
    }
    const unsigned what = draw(of, 6);
    if (what == 0) message(of, comm);
    if (what == 1) messages(of, comm);
    if (what == 2) persistent(of, comm);
    if (what > 2) collective(of, comm);
    ++rounds_of[of->number];
  }
  MPI_Comm_free(&comm);
  return NULL;
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  rounds = argc > 2 ? atoi(argv[2]) : 100;
  if (level != MPI_THREAD_MULTIPLE) ++failures;
  static struct worker workers[threads];
  pthread_t running[threads];
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  for (int i = 0; i < threads; ++i) {
    workers[i].number = i;
    workers[i].state = seed * 2654435761ULL + (unsigned)i;
    pthread_create(&running[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&own[i]);
  int mine = failures, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 0;
}
