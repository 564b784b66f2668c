// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that upwash leaves to the MPI library, whose results must stay right: operators of the
// program's own, communicators of one, intercommunicators; or a program of many threads
// (left_to_mpi multiple). Every check counts on each rank; ends with 1 where one is wrong.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int me, ranks, failures;

static void check(const char* what, long seen, long wanted) {
  if (seen == wanted) return;
  ++failures;
  fprintf(stderr, "rank %d: %s: %ld, expected %ld\n", me, what, seen, wanted);
}

// x -> a * x + b, modulo a prime: composing is associative, but the order counts.
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const long* first = in;
  long* then = inout;
  for (int i = 0; i < *length; ++i, first += 2, then += 2) {
    then[1] = (then[0] * first[1] + then[1]) % 1009;
    then[0] = then[0] * first[0] % 1009;
  }
}

static void own_operator(void) {
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Op_create(compose, 0, &op);
  MPI_Type_contiguous(2, MPI_LONG, &pair);
  MPI_Type_commit(&pair);
  const long mine[2] = {me + 2, 3 * me + 1};
  long all[2], a = 1, b = 0;
  for (int i = 0; i < ranks; ++i) {
    b = ((i + 2) * b + 3 * i + 1) % 1009;
    a = a * (i + 2) % 1009;
  }
  MPI_Allreduce(mine, all, 1, pair, op, MPI_COMM_WORLD);
  check("factor", all[0], a);
  check("summand", all[1], b);
  MPI_Request request;
  memset(all, 0, sizeof all);
  MPI_Iallreduce(mine, all, 1, pair, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check("factor, nonblocking", all[0], a);
  check("summand, nonblocking", all[1], b);
  MPI_Type_free(&pair);
  MPI_Op_free(&op);
}

static void communicator_of_one(void) {
  int in = me + 5, out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  check("a sum of one", out, in);
  MPI_Alltoall(&out, 1, MPI_INT, &in, 1, MPI_INT, MPI_COMM_SELF);
  check("an exchange with oneself", in, me + 5);
}

// Even ranks and odd ones.
static void intercommunicator(void) {
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me % 2 == 0 ? 1 : 0, 7, &both);
  long sum = 0, wanted = 0, mine = me + 1, word = me == 0 ? 99 : 0;
  for (int i = (me + 1) % 2; i < ranks; i += 2) wanted += i + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, both);
  check("the sum of the other group", sum, wanted);
  MPI_Bcast(&word, 1, MPI_LONG, me == 0 ? MPI_ROOT : me % 2 == 0 ? MPI_PROC_NULL : 0, both);
  if (me % 2 == 1) check("the word of the other group", word, 99);
  MPI_Barrier(both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void shared_by_threads(void) {
  int sum = 0;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check("a sum", sum, ranks * (ranks - 1) / 2);
}

int main(int argc, char** argv) {
  const int multiple = argc > 1 && strcmp(argv[1], "multiple") == 0;
  int level;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (multiple) {
    check("the level of threads", level, MPI_THREAD_MULTIPLE);
    shared_by_threads();
  } else {
    own_operator();
    communicator_of_one();
    intercommunicator();
  }
  int sum = 0;
  PMPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 0;
}
