// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random collective calls on random, overlapping communicators, each beside the MPI library's own;
// some nonblocking, whose requests are completed in any way, among those of messages and of the
// library: random_collectives [SEED [CALLS [MOST_BYTES [REDUCES_IN_PLACE [PERCENT_LATER
// [FREES_EARLY]]]]]].
// Whether the call at hand is nonblocking.
static int later;
#define CALL(name, later_name, ...) \
  (later ? MPI_##later_name(__VA_ARGS__, &at->requests[0]) : MPI_##name(__VA_ARGS__))
#define THEIRS(name, later_name, ...) \
  (later ? PMPI_##later_name(__VA_ARGS__, &at->requests[1]) : PMPI_##name(__VA_ARGS__))
#include "collective_calls.h"

enum { slots = 6 };
static struct slot all[slots];

// Messages of the program's own, among the others: nonblocking always.
static void message_ring(struct slot* at, MPI_Comm comm, int size, int rank, int count) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  at->bytes = (size_t)count;
  for (int i = 0; i < count; ++i) {
    at->sent[i] = (char)(rank * 3 + i);
    at->wanted[i] = (char)(from * 3 + i);
  }
  MPI_Irecv(at->mine, count, MPI_CHAR, from, ring, comm, &at->requests[0]);
  MPI_Isend(at->sent, count, MPI_CHAR, to, ring, comm, &at->requests[1]);
}

// Requests as arrays of the standard's functions want them, and back; what is complete is compared.
static MPI_Request listed[2 * slots];
static void list(void) {
  for (int i = 0; i < 2 * slots; ++i) listed[i] = all[i / 2].requests[i % 2];
}
static void unlist(void) {
  for (int i = 0; i < 2 * slots; ++i) all[i / 2].requests[i % 2] = listed[i];
  for (int i = 0; i < slots; ++i) {
    struct slot* at = &all[i];
    if (at->busy && at->requests[0] == MPI_REQUEST_NULL && at->requests[1] == MPI_REQUEST_NULL)
      compare(at);
  }
}

// In a way that differs from rank to rank.
static void complete_some(int must) {
  int which, flag, outcount, indices[2 * slots];
  MPI_Status status, statuses[2 * slots];
  const int one = (int)own_draw(2 * slots);
  list();
  switch (own_draw(must ? 3 : 8)) {
    case 0: MPI_Waitany(2 * slots, listed, &which, &status); break;
    case 1: MPI_Waitsome(2 * slots, listed, &outcount, indices, statuses); break;
    case 2: MPI_Waitall(2 * slots, listed, own_draw(2) ? statuses : MPI_STATUSES_IGNORE); break;
    case 3: MPI_Testany(2 * slots, listed, &which, &flag, &status); break;
    case 4: MPI_Testsome(2 * slots, listed, &outcount, indices, MPI_STATUSES_IGNORE); break;
    case 5: MPI_Testall(2 * slots, listed, &flag, statuses); break;
    case 6:
      if (listed[one] != MPI_REQUEST_NULL) MPI_Request_get_status(listed[one], &flag, &status);
      MPI_Test(&listed[one], &flag, &status);
      break;
    default: MPI_Wait(&listed[one], own_draw(2) ? &status : MPI_STATUS_IGNORE);
  }
  unlist();
}

static struct slot* free_slot(void) {
  for (;;) {
    for (int i = 0; i < slots; ++i) {
      if (!all[i].busy) return &all[i];
    }
    complete_some(1);
  }
}

// A rank that waits for a message takes part in what others wait for.
static void barrier_behind_a_message(MPI_Comm comm, int size, int rank) {
  MPI_Request request;
  MPI_Status status;
  int word = 0;
  const unsigned way = draw(4);
  MPI_Ibarrier(comm, &request);
  if (rank == 0) {
    if (way == 0) MPI_Recv(&word, 1, MPI_INT, size - 1, 3, comm, MPI_STATUS_IGNORE);
    if (way == 1) {
      MPI_Probe(size - 1, 3, comm, &status);
      MPI_Recv(&word, 1, MPI_INT, size - 1, 3, comm, MPI_STATUS_IGNORE);
    }
    if (way == 2) MPI_Ssend(&word, 1, MPI_INT, size - 1, 3, comm);
    if (way == 3)
      MPI_Sendrecv(&word, 1, MPI_INT, size - 1, 3, &word, 1, MPI_INT, size - 1, 3, comm, &status);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == size - 1) {
    if (way >= 2) MPI_Recv(&word, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    if (way != 2) MPI_Send(&word, 1, MPI_INT, 0, 3, comm);
  }
}

enum { open = 4 };

// Open MPI 4.1.4 crashes where a communicator goes before its own nonblocking collectives are
// complete. Those of upwash may be under way.
static int frees_early;
static void finish_theirs(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  list();
  for (int i = 0; i < slots; ++i) {
    if (!all[i].busy || all[i].comm != comm) continue;
    if (!frees_early || size == 1) MPI_Wait(&listed[2 * i], MPI_STATUS_IGNORE);
    MPI_Wait(&listed[2 * i + 1], MPI_STATUS_IGNORE);
  }
  unlist();
}

// Another communicator in the place of one.
static void exchange(MPI_Comm* comms, int ranks) {
  const unsigned at = 1 + draw(open - 1);
  if (comms[at] != MPI_COMM_NULL) {
    finish_theirs(comms[at]);
    MPI_Comm_free(&comms[at]);
  }
  const int colors = 1 + (int)draw(3), turn = (int)draw((unsigned)ranks);
  const int color = (me + turn) % colors, leaves = draw(3) == 0 && color == 1;
  if (draw(4) == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[at]);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, leaves ? MPI_UNDEFINED : color, (me * 5 + turn) % ranks,
                   &comms[at]);
  }
}

static void one_call(int kind, MPI_Comm comm, int count, int call) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  if (kind != 1 && kind != 12) count /= size;
  count = (int)(draw((unsigned)count + 1));
  if (kind == 0 && later && size > 1 && draw(2)) return barrier_behind_a_message(comm, size, rank);
  struct slot* at = free_slot();
  at->busy = 1;
  at->comm = comm;
  at->kind = kind;
  at->call = call;
  at->bytes = 0;
  at->is_pairs = 0;
  if (kind == 0) {
    CALL(Barrier, Ibarrier, comm);
  } else if (kind < 11) {
    moving(at, kind, comm, size, rank, count);
  } else if (kind < ring) {
    combining(at, kind, comm, size, rank, count);
  } else {
    message_ring(at, comm, size, rank, count);
  }
  if (!later && kind != ring) return compare(at);
  if (own_draw(2)) complete_some(0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned long long seed = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
  const int calls = argc > 2 ? atoi(argv[2]) : 300;
  const int most = argc > 3 ? atoi(argv[3]) : 1 << 16;
  if (argc > 4) reduces_in_place = atoi(argv[4]);
  const unsigned percent_later = argc > 5 ? (unsigned)atoi(argv[5]) : 0;
  frees_early = argc > 6 && atoi(argv[6]);
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = seed;
  own_state = seed * 977 + (unsigned long long)me;
  make_types();
  const size_t room = (((size_t)most * (size_t)ranks + 4 * (size_t)ranks + 64) * 3 + 4096) * 16;
  for (int i = 0; i < slots; ++i) {
    all[i].sent = malloc(room);
    all[i].mine = malloc(room);
    all[i].wanted = malloc(room);
    all[i].requests[0] = all[i].requests[1] = MPI_REQUEST_NULL;
  }
  MPI_Comm comms[open] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
  for (int call = 0; call < calls; ++call) {
    if (draw(8) == 0) exchange(comms, ranks);
    const unsigned on = draw(open);
    later = draw(100) < percent_later;
    const int kind = (int)draw(percent_later ? kinds + 1 : kinds);
    const unsigned bits = draw(20);
    const unsigned long long shared = state;
    if (comms[on] != MPI_COMM_NULL)
      one_call(kind, comms[on], (1 << bits) > most / 8 ? most / 8 : 1 << bits, call);
    state = shared;  // calls of communicators of different sizes draw differently
  }
  list();
  MPI_Waitall(2 * slots, listed, MPI_STATUSES_IGNORE);
  unlist();
  for (int i = 1; i < open; ++i) {
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  }
  free_types();
  int sum = 0;
  PMPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("random_collectives: %d ranks, %d calls, %d wrong\n", ranks, calls, sum);
  for (int i = 0; i < slots; ++i) {
    free(all[i].sent);
    free(all[i].mine);
    free(all[i].wanted);
  }
  MPI_Finalize();
  return sum != 0;
}
