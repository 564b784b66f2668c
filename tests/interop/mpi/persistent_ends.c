// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where persistent collectives end, what they outlive, and in which orders they start: types and
// communicators that are freed before they start, requests that are freed while they are under way,
// or never.
#include <stdio.h>
#include <string.h>

#include "persistent_names.h"

enum { number = 500, most_members = 16 };

static int me, ranks, failures;

static void expect(int is_so, const char* what) {
  if (is_so) return;
  ++failures;
  fprintf(stderr, "rank %d: %s\n", me, what);
}

static void run(MPI_Request* request) {
  MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

// Every second word travels, from all to all.
static void types_go_first(void) {
  MPI_Datatype strided;
  int sent[2 * number], received[2 * number * most_members];
  MPI_Request request;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &strided);
  MPI_Type_commit(&strided);
  INIT(Allgather)
  (sent, number, strided, received, number, strided, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Type_free(&strided);
  for (int turn = 0; turn < 4; ++turn) {
    for (int i = 0; i < 2 * number; ++i) sent[i] = 1000 * turn + me;
    memset(received, -1, sizeof received);
    run(&request);
    for (int i = 0; i < 2 * number * ranks; ++i) {
      const int wanted = i % 2 == 0 ? 1000 * turn + i / (2 * number) : -1;
      if (received[i] != wanted) return expect(0, "a type that was freed: wrong");
    }
  }
  MPI_Request_free(&request);
}

// Half of the ranks have freed their requests before.
static void communicators_go_first(void) {
  MPI_Comm comm;
  MPI_Request down, sums;
  int word = 0, one = 1, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  INIT(Bcast)(&word, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &down);
  INIT(Allreduce)(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &sums);
  run(&sums);
  if (me % 2) MPI_Request_free(&sums);
  MPI_Comm_free(&comm);
  if (me % 2 == 0) MPI_Request_free(&sums);
  for (int turn = 1; turn < 4; ++turn) {
    word = me == 0 ? turn : 0;
    run(&down);
    expect(word == turn, "a communicator that was freed: wrong");
  }
  MPI_Request_free(&down);
}

// Others have not started yet.
static void under_way(void) {
  static int words[number];
  MPI_Request request;
  for (int turn = 0; turn < 20; ++turn) {
    words[0] = me == 0 ? turn : 0;
    INIT(Bcast)(words, number, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (me == turn % ranks) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&request);
    MPI_Request_free(&request);
    expect(request == MPI_REQUEST_NULL, "a request that was freed is none");
    if (me != turn % ranks) MPI_Barrier(MPI_COMM_WORLD);
    // When it is complete is all that nobody knows.
    while (me != 0 && ((volatile int*)words)[0] != turn) {
      int found;
      MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Each rank keeps requests for a while of its own: none gets what another still has.
static void kept_for_different_times(void) {
  enum { turns = 60 };
  MPI_Request made[turns];
  int ones[turns], sums[turns];
  for (int turn = 0; turn < turns; ++turn) {
    ones[turn] = turn;
    INIT(Allreduce)
    (&ones[turn], &sums[turn], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &made[turn]);
    if (turn == 0) continue;
    sums[turn] = sums[turn - 1] = -1;
    MPI_Start(&made[turn - me % 2]);
    MPI_Start(&made[turn - (me + 1) % 2]);
    MPI_Waitall(2, &made[turn - 1], MPI_STATUSES_IGNORE);
    expect(sums[turn] == ranks * turn, "made last: wrong");
    expect(sums[turn - 1] == ranks * (turn - 1), "made before: wrong");
    const int lag = 2 + 3 * me;
    if (turn >= lag) MPI_Request_free(&made[turn - lag]);
  }
  // Those that are left are never freed.
}

// Those beyond 128 of one communicator are left to the MPI library, and are right among the others.
static void more_than_there_are_teams(void) {
  enum { many = 140 };
  static MPI_Request made[many];
  static int words[many];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < many; ++i)
    INIT(Bcast)(&words[i], 1, MPI_INT, i % ranks, comm, MPI_INFO_NULL, &made[i]);
  for (int turn = 1; turn < 4; ++turn) {
    for (int i = 0; i < many; ++i) words[i] = me == i % ranks ? i + turn : 0;
    MPI_Startall(many, made);
    MPI_Waitall(many, made, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; ++i) expect(words[i] == i + turn, "one of many: wrong");
  }
  for (int i = 0; i < many; ++i) MPI_Request_free(&made[i]);
  MPI_Comm_free(&comm);
}

// On a line: both calls of a turn are under way, begun in orders that differ from rank to rank.
static void neighbors_in_any_order(void) {
  const int ring = 0;
  int mine, one_each[2], gathered[2], exchanged[2];
  MPI_Comm line;
  MPI_Request both[2];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &ring, 0, &line);
  INIT(Neighbor_allgather)
  (&mine, 1, MPI_INT, gathered, 1, MPI_INT, line, MPI_INFO_NULL, &both[0]);
  INIT(Neighbor_alltoall)
  (one_each, 1, MPI_INT, exchanged, 1, MPI_INT, line, MPI_INFO_NULL, &both[1]);
  for (int turn = 0; turn < 10; ++turn) {
    mine = 100 * turn + me;
    one_each[0] = -mine;
    one_each[1] = mine;
    MPI_Start(&both[me % 2]);
    MPI_Start(&both[1 - me % 2]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    expect(me == 0 || (gathered[0] == mine - 1 && exchanged[0] == mine - 1), "before: wrong");
    expect(me == ranks - 1 || (gathered[1] == mine + 1 && exchanged[1] == -mine - 1),
           "behind: wrong");
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  MPI_Comm_free(&line);
}

static void own_maximum(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
  }
}

// Left to the MPI library, but started with one that is not, and completed with a nonblocking one.
static void own_operator(void) {
  MPI_Op op;
  MPI_Request both[3];
  int mine[2], most = 0, sum = 0, others = 0;
  MPI_Op_create(own_maximum, 1, &op);
  INIT(Allreduce)(&mine[0], &most, 1, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
  INIT(Allreduce)(&mine[1], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
  for (int turn = 0; turn < 10; ++turn) {
    mine[0] = mine[1] = 10 * me + turn;
    MPI_Startall(2, both);
    MPI_Iallreduce(&me, &others, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &both[2]);
    MPI_Waitall(3, both, MPI_STATUSES_IGNORE);
    expect(both[2] == MPI_REQUEST_NULL && others == ranks - 1, "the nonblocking one: wrong");
    expect(most == 10 * (ranks - 1) + turn, "the program's operator: wrong");
    expect(sum == 5 * ranks * (ranks - 1) + turn * ranks, "a sum beside it: wrong");
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  MPI_Op_free(&op);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  types_go_first();
  communicators_go_first();
  under_way();
  neighbors_in_any_order();
  more_than_there_are_teams();
  kept_for_different_times();
  own_operator();
  int sum = 0;
  PMPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 0;
}
