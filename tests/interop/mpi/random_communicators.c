// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators that are made from each other by all ways, used in any manner first, or never, and
// freed by some later than by others: random_communicators [SEED [ROUNDS]]. Ranks are late at
// random, so messages come before their communicator is there.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared_bytes.h"

enum { places = 24, ways = 8, uses = 6, large = 5000, bound = 64 << 20 };

static int me, all, failures;
static MPI_Comm comms[places];  // of this rank; some ranks have none there
static unsigned long long common, own;

static unsigned draw(unsigned long long* state, unsigned below) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(*state >> 33U) % below;
}

static void expect(const char* what, long is, long wanted) {
  if (is == wanted) return;
  if (++failures < 9) fprintf(stderr, "rank %d: %s: %ld, not %ld\n", me, what, is, wanted);
}

static void be_late(void) {
  const unsigned time = draw(&own, 6);
  if (time > 3) usleep(time * 100);
}

static MPI_Comm some_of(MPI_Comm parent, unsigned drawn, int by_all) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group, part;
  int size, rank, ranks[64], number = 0;
  MPI_Comm_size(parent, &size);
  MPI_Comm_rank(parent, &rank);
  for (int i = size - 1; i >= 0; --i) {
    if (size < 3 || (unsigned)i != drawn % (unsigned)size) ranks[number++] = i;
  }
  MPI_Comm_group(parent, &group);
  MPI_Group_incl(group, number, ranks, &part);
  const int is_in = size < 3 || (unsigned)rank != drawn % (unsigned)size;
  if (by_all)
    MPI_Comm_create(parent, part, &made);
  else if (is_in)
    MPI_Comm_create_group(parent, part, (int)(drawn % 3), &made);
  MPI_Group_free(&part);
  MPI_Group_free(&group);
  return made;
}

static MPI_Comm made_of(MPI_Comm parent, unsigned way, unsigned drawn) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request;
  int size, sizes[1], rings[1] = {1};
  MPI_Comm_size(parent, &size);
  sizes[0] = size;
  switch (way) {
    case 0:
    case 1: MPI_Comm_dup(parent, &made); break;
    case 2: {
      const int color = (int)((unsigned)me * drawn % 3);
      MPI_Comm_split(parent, color == 2 ? MPI_UNDEFINED : color, -me, &made);
      break;
    }
    case 3: MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); break;
    case 4: made = some_of(parent, drawn, 1); break;
    case 5: made = some_of(parent, drawn, 0); break;
    case 6: MPI_Cart_create(parent, 1, sizes, rings, 0, &made); break;
    default:
      MPI_Comm_idup(parent, &made, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
  }
  return made;
}

// By the library itself.
static long sum_of(MPI_Comm comm, long value) {
  long sum = 0;
  PMPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, comm);
  return sum;
}

static void ring(MPI_Comm comm, int round, int count) {
  int size, rank, out[large], into[large];
  MPI_Request request;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < count; ++i) out[i] = round + 7 * rank + i;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Isend(out, count, MPI_INT, to, 3, comm, &request);
  be_late();
  MPI_Recv(into, count, MPI_INT, from, 3, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect("a message", into[0], round + 7 * from);
  expect("the end of a message", into[count - 1], round + 7 * from + count - 1);
}

static void use(MPI_Comm comm, int round, unsigned how) {
  long values[2] = {me + round, 3L * me}, sums[2] = {0, 0};
  MPI_Request requests[2];
  if (how == 0) return;
  if (how == 1) ring(comm, round, 3);
  if (how == 2) ring(comm, round, large);
  if (how == 5) MPI_Barrier(comm);
  if (how <= 2) return;
  MPI_Iallreduce(&values[0], &sums[0], 1, MPI_LONG, MPI_SUM, comm, &requests[0]);
  if (how == 4) MPI_Allreduce(&values[1], &sums[1], 1, MPI_LONG, MPI_SUM, comm);
  if (how != 4) MPI_Iallreduce(&values[1], &sums[1], 1, MPI_LONG, MPI_SUM, comm, &requests[1]);
  MPI_Waitall(how == 4 ? 1 : 2, requests, MPI_STATUSES_IGNORE);
  expect("a sum", sums[0], sum_of(comm, values[0]));
  expect("another sum", sums[1], sum_of(comm, values[1]));
}

static void one_round(int round, MPI_Comm* late) {
  const unsigned from = draw(&common, 2 * places), to = draw(&common, places);
  const unsigned way = draw(&common, ways), drawn = draw(&common, 1000);
  const unsigned how = draw(&common, uses), other = draw(&common, places);
  const MPI_Comm parent = from >= places ? MPI_COMM_WORLD : comms[from];
  be_late();
  MPI_Comm made = MPI_COMM_NULL;
  if (parent != MPI_COMM_NULL) made = made_of(parent, way, drawn);
  if (made != MPI_COMM_NULL) use(made, round, how);
  if (*late != MPI_COMM_NULL) MPI_Comm_free(late);
  if (comms[to] != MPI_COMM_NULL) {
    if (me % 2 != 0)
      *late = comms[to];
    else
      MPI_Comm_free(&comms[to]);
  }
  comms[to] = made;
  if (comms[other] != MPI_COMM_NULL)
    use(comms[other], round, draw(&common, uses));
  else
    draw(&common, uses);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  common = argc > 1 ? (unsigned long long)atoi(argv[1]) : 1;
  own = common * 1000 + (unsigned)me;
  const int rounds = argc > 2 ? atoi(argv[2]) : 200;
  MPI_Comm late = MPI_COMM_NULL;
  long before = 0;
  for (int i = 0; i < places; ++i) comms[i] = MPI_COMM_NULL;
  for (int i = 0; i < rounds; ++i) {
    one_round(i, &late);
    if (i == 100) before = shared_bytes();
  }
  if (rounds > 100 && shared_bytes() - before > bound)
    expect("KiB shared since", (shared_bytes() - before) >> 10, 0);
  if (late != MPI_COMM_NULL) MPI_Comm_free(&late);
  for (int i = 0; i < places; ++i) {
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  }
  int most = 0;
  MPI_Allreduce(&failures, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return most != 0;
}
