// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators that come and go, two ranks or more: what they take comes back, whatever others
// stay, and a rank that frees one waits for nobody.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { held = 70, rounds = 250, most_kib = 40 * 1024 };

static int me, all, failures;

static void expect(const char* what, long is, long wanted) {
  if (is == wanted) return;
  ++failures;
  fprintf(stderr, "rank %d: %s: %ld, not %ld\n", me, what, is, wanted);
}

// Of this process, in KiB.
static long shared_memory(void) {
  char line[256];
  long kib = 0;
  FILE* facts = fopen("/proc/self/status", "r");
  while (facts != NULL && fgets(line, sizeof line, facts) != NULL) {
    sscanf(line, "RssShmem: %ld", &kib);
  }
  if (facts != NULL) fclose(facts);
  return kib;
}

static void use(MPI_Comm comm) {
  int one = 1, sum = 0, size;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect("a sum", sum, size);
}

static void come_and_go(void) {
  MPI_Comm kept[held], comm;
  for (int i = 0; i < held; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
  srand(7);
  const long before = shared_memory();
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_free(&comm);
    // Other members each time; some are in none.
    int color = MPI_UNDEFINED;
    for (int rank = 0; rank < all; ++rank) {
      const int drawn = rand() % 3;
      if (rank == me && drawn != 2) color = drawn;
    }
    MPI_Comm_split(MPI_COMM_WORLD, color, -me, &comm);
    if (comm == MPI_COMM_NULL) continue;
    use(comm);
    MPI_Comm_free(&comm);
  }
  const long more = shared_memory() - before;
  if (more > most_kib) expect("KiB of shared memory that stay", more, most_kib);
  for (int i = 0; i < held; ++i) MPI_Comm_free(&kept[i]);
}

// One of them is free of it long before the other begins to send on it.
static void free_early(void) {
  MPI_Comm comm, other;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use(comm);
  if (me == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Ssend(&me, 1, MPI_INT, 1, 0, comm);
    MPI_Comm_free(&comm);
  } else {
    int got = -1;
    if (me == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect("a message of one that was freed", got, 0);
    }
  }
  // In another order at each.
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_free(me == 0 ? &comm : &other);
  MPI_Comm_free(me == 0 ? &other : &comm);
  // A message that a probe took out outlives its communicator, and those that come later.
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int next = (me + 1) % all, before = (me + all - 1) % all;
  int number = 100 + me, got = 0;
  MPI_Message taken;
  MPI_Send(&number, 1, MPI_INT, next, 3, comm);
  MPI_Mprobe(before, 3, comm, &taken, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Mrecv(&got, 1, MPI_INT, &taken, MPI_STATUS_IGNORE);
  expect("what was taken out", got, 100 + before);
}

// What is complete is waited for when its communicator is gone, with its team: one message as it
// should be, and one that is too long.
// (By itself Open MPI 4.1.4 ends the program there.)
static void wait_behind(void) {
  const int next = (me + 1) % all, before = (me + all - 1) % all;
  int number[2] = {100 + me, 0}, got[2] = {-1, -1}, codes[2];
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Irecv(&got[0], 1, MPI_INT, before, 0, comm, &requests[0]);
  MPI_Irecv(&got[1], 1, MPI_INT, before, 1, comm, &requests[1]);
  MPI_Barrier(comm);
  MPI_Send(number, 1, MPI_INT, next, 0, comm);
  MPI_Send(number, 2, MPI_INT, next, 1, comm);
  use(comm);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 5; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_free(&comm);
  }
  const int code = MPI_Waitall(2, requests, statuses);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  expect("a message behind its communicator", got[0], 100 + before);
  expect("one request failed", code == MPI_ERR_IN_STATUS, 1);
  for (int i = 0; i < 2; ++i) MPI_Error_class(statuses[i].MPI_ERROR, &codes[i]);
  expect("the right one", codes[0], MPI_SUCCESS);
  expect("the other one", codes[1], MPI_ERR_TRUNCATE);
  expect("its tag", statuses[1].MPI_TAG, 1);
  expect("its source", statuses[1].MPI_SOURCE, before);
}

// Some of a grid's ranks, backwards: no grid any more, whatever the library says of it.
// (Open MPI 4.1.4 says that it is.)
static void some_of_a_grid(void) {
  int sizes[1] = {all}, rings[1] = {1}, ranks[64], number = 0;
  MPI_Comm grid, some;
  MPI_Group of_grid, of_some;
  if (all > 64) return;
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, rings, 0, &grid);
  MPI_Comm_group(grid, &of_grid);
  for (int rank = all - 1; rank >= 0; --rank) {
    if (rank != all / 2) ranks[number++] = rank;
  }
  MPI_Group_incl(of_grid, number, ranks, &of_some);
  if (me != all / 2) {
    MPI_Comm_create_group(grid, of_some, 5, &some);
    use(some);
    MPI_Comm_free(&some);
  }
  MPI_Group_free(&of_some);
  MPI_Group_free(&of_grid);
  use(grid);
  MPI_Comm_free(&grid);
}

static void add(void* in, void* out, int* number, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *number; ++i) ((int*)out)[i] += ((int*)in)[i];
}

// While a collective of the library is under way, since its operator is the program's.
static void free_under_library(void) {
  enum { large = 50000 };
  static int sent[large], got[large];
  const int next = (me + 1) % all, before = (me + all - 1) % all;
  MPI_Op sum;
  MPI_Op_create(&add, 1, &sum);
  for (int i = 0; i < 100; ++i) {
    int one = 1, number = 0;
    MPI_Comm comm;
    MPI_Request requests[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(got, large, MPI_INT, before, 0, comm, &requests[0]);
    MPI_Isend(sent, large, MPI_INT, next, 0, comm, &requests[1]);
    MPI_Iallreduce(&one, &number, 1, MPI_INT, sum, comm, &requests[2]);
    MPI_Comm_free(&comm);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    expect("a sum by the library", number, all);
  }
  MPI_Op_free(&sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  come_and_go();
  free_early();
  some_of_a_grid();
  if (argc > 1) wait_behind();
  free_under_library();
  int most = 0;
  MPI_Allreduce(&failures, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return most != 0;
}
