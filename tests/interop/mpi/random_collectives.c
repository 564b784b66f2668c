// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random collective calls on random, overlapping communicators, each beside the MPI library's own;
// some nonblocking, whose requests are completed in any way, among those of messages and of the
// library: random_collectives [SEED [CALLS [MOST_BYTES [REDUCES_IN_PLACE [PERCENT_LATER
// [FREES_EARLY]]]]]].
#include "random_calls.h"

enum { kinds = 17, slots = 6, ring = 17 };

static const char* const names[kinds + 1] = {
    "Barrier",   "Bcast",     "Gather",         "Gatherv",
    "Scatter",   "Scatterv",  "Allgather",      "Allgatherv",
    "Alltoall",  "Alltoallv", "Alltoallw",      "Reduce",
    "Allreduce", "Scan",      "Reduce_scatter", "Reduce_scatter_block",
    "Exscan",    "ring"};

struct blocks {
  int counts[most_members], places[most_members];
};

// Blocks in any order, with gaps.
static struct blocks spread(const int* lengths, int size) {
  struct blocks made;
  int at = 0;
  const int backwards = (int)own_draw(2);
  for (int i = 0; i < size; ++i) {
    const int member = backwards ? size - 1 - i : i;
    at += (int)own_draw(3);
    made.counts[member] = lengths[member];
    made.places[member] = at;
    at += lengths[member];
  }
  return made;
}

// A call, and the library's own beside it: where they are nonblocking until both are complete.
struct slot {
  MPI_Request requests[2];
  char *sent, *mine, *wanted;
  int busy, kind, call, is_pairs;
  MPI_Comm comm;
  MPI_Datatype type;
  size_t bytes;  // to compare
  // Of nonblocking calls arguments stay as they are.
  struct blocks out, in;
  MPI_Datatype send_types[most_members], receive_types[most_members];
};
static struct slot all[slots];

// Whether the call at hand is nonblocking.
static int later;
#define CALL(name, later_name, ...) \
  (later ? MPI_##later_name(__VA_ARGS__, &at->requests[0]) : MPI_##name(__VA_ARGS__))
#define THEIRS(name, later_name, ...) \
  (later ? PMPI_##later_name(__VA_ARGS__, &at->requests[1]) : PMPI_##name(__VA_ARGS__))
// With the arguments before the result, the result of either, and those behind it.
#define BOTH(name, later_name, before, result, theirs, ...) \
  do {                                                      \
    CALL(name, later_name, before, result, __VA_ARGS__);    \
    THEIRS(name, later_name, before, theirs, __VA_ARGS__);  \
  } while (0)
#define WITH(...) __VA_ARGS__

static void fill(struct slot* at, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) at->sent[i] = (char)(own_draw(7) + 1);
  for (size_t i = 0; i < bytes; ++i) at->mine[i] = at->wanted[i] = (char)(own_draw(7) + 8);
}

// Both start from the same bytes: of what is in place `mine` and `wanted` are.
static void prepare(struct slot* at, int in_place, size_t bytes) {
  fill(at, bytes);
  if (!in_place) return;
  memcpy(at->mine, at->sent, bytes);
  memcpy(at->wanted, at->sent, bytes);
}

static void moving(struct slot* at, int kind, MPI_Comm comm, int size, int rank, int count) {
  const struct type_case* of = &types[draw(type_count)];
  const int root = (int)draw((unsigned)size);
  const int mostly_all = (int)draw(3) == 0;  // in place, of those calls where all must say so
  const MPI_Datatype s = of->derived[own_draw(4)], r = of->derived[own_draw(4)];
  int lengths[most_members], to[most_members], from[most_members];
  for (int i = 0; i < size; ++i) lengths[i] = (int)draw((unsigned)count + 1);
  for (int i = 0; i < size; ++i) {  // rank i sends (i * 7 + j * 3) % ... to j: all know
    to[i] = count == 0 ? 0 : (rank * 7 + i * 3) % (count + 1);
    from[i] = count == 0 ? 0 : (i * 7 + rank * 3) % (count + 1);
  }
  at->bytes =
      ((size_t)count * (size_t)size + 4 * (size_t)size + 8) * (size_t)extent_of(of->type) * 3;
  const int rooted = kind >= 2 && kind <= 5;
  const int in_place = rooted ? rank == root && own_draw(2) : mostly_all && kind < 9;
  prepare(at, in_place, at->bytes);
  const void* from_me = in_place ? MPI_IN_PLACE : (const void*)at->sent;
  void* mine = in_place && rooted && kind > 3 ? MPI_IN_PLACE : at->mine;
  void* wanted = in_place && rooted && kind > 3 ? MPI_IN_PLACE : at->wanted;
  at->in = kind == 3 || kind == 7 ? spread(lengths, size) : spread(from, size);
  at->out = kind == 5 ? spread(lengths, size) : spread(to, size);
  const int *counts = at->in.counts, *places = at->in.places;
  switch (kind) {
    case 1:
      memcpy(at->wanted, at->mine, at->bytes);
      CALL(Bcast, Ibcast, mine, count, r, root, comm);
      THEIRS(Bcast, Ibcast, wanted, count, r, root, comm);
      break;
    case 2:
      BOTH(Gather, Igather, WITH(from_me, count, s), mine, wanted, count, r, root, comm);
      break;
    case 3:
      BOTH(Gatherv, Igatherv, WITH(from_me, lengths[rank], s), mine, wanted, counts, places, r,
           root, comm);
      break;
    case 4:
      BOTH(Scatter, Iscatter, WITH(at->sent, count, s), mine, wanted, count, r, root, comm);
      break;
    case 5:
      BOTH(Scatterv, Iscatterv, WITH(at->sent, at->out.counts, at->out.places, s), mine, wanted,
           lengths[rank], r, root, comm);
      break;
    case 6:
      BOTH(Allgather, Iallgather, WITH(from_me, count, s), mine, wanted, count, r, comm);
      break;
    case 7:
      BOTH(Allgatherv, Iallgatherv, WITH(from_me, lengths[rank], s), mine, wanted, counts, places,
           r, comm);
      break;
    case 8: BOTH(Alltoall, Ialltoall, WITH(from_me, count, s), mine, wanted, count, r, comm); break;
    case 9:
      BOTH(Alltoallv, Ialltoallv, WITH(at->sent, at->out.counts, at->out.places, s), mine, wanted,
           counts, places, r, comm);
      break;
    default:
      for (int i = 0; i < size; ++i) {
        at->send_types[i] = s;
        at->receive_types[i] = r;
        at->out.places[i] *= (int)extent_of(s);
        at->in.places[i] *= (int)extent_of(r);
      }
      BOTH(Alltoallw, Ialltoallw, WITH(at->sent, at->out.counts, at->out.places, at->send_types),
           mine, wanted, counts, places, at->receive_types, comm);
  }
}

// MPICH 4.0.2 itself crashes in some reductions in place: not where they are left to it.
static int reduces_in_place = 1;

static void combining(struct slot* at, int kind, MPI_Comm comm, int size, int rank, int count) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND};
  const int pairs = (int)draw(4) == 0;
  const MPI_Datatype numbers[4] = {MPI_INT, MPI_SHORT, MPI_UNSIGNED_CHAR, MPI_LONG};
  const MPI_Datatype places[3] = {MPI_2INT, MPI_SHORT_INT, MPI_LONG_INT};
  const MPI_Datatype type = pairs ? places[draw(3)] : numbers[draw(4)];
  const MPI_Op op = pairs ? (draw(2) ? MPI_MAXLOC : MPI_MINLOC) : ops[draw(8)];
  const int root = (int)draw((unsigned)size);
  int in_place = (int)draw(3) == 0;
  if (kind == 11) in_place = own_draw(2) && rank == root && reduces_in_place;
  for (int i = 0; i < size; ++i) at->in.counts[i] = (int)draw((unsigned)count + 1);
  const size_t extent = (size_t)extent_of(type);
  prepare(at, in_place, ((size_t)count * (size_t)size + 1) * extent);
  const void* from_me = in_place ? MPI_IN_PLACE : (const void*)at->sent;
  void *mine = at->mine, *wanted = at->wanted;
  at->bytes = (size_t)count * extent;
  // Between value and place of a pair there may be anything.
  at->is_pairs = pairs && type != MPI_2INT;
  at->type = type;
  switch (kind) {
    case 11:
      CALL(Reduce, Ireduce, from_me, mine, count, type, op, root, comm);
      THEIRS(Reduce, Ireduce, at->sent, wanted, count, type, op, root, comm);
      if (rank != root) at->bytes = 0;
      break;
    case 12: BOTH(Allreduce, Iallreduce, from_me, mine, wanted, count, type, op, comm); break;
    case 13: BOTH(Scan, Iscan, from_me, mine, wanted, count, type, op, comm); break;
    case 14:
      BOTH(Reduce_scatter, Ireduce_scatter, from_me, mine, wanted, at->in.counts, type, op, comm);
      at->bytes = (size_t)at->in.counts[rank] * extent;
      break;
    case 15:
      BOTH(Reduce_scatter_block, Ireduce_scatter_block, from_me, mine, wanted, count, type, op,
           comm);
      break;
    default:
      BOTH(Exscan, Iexscan, from_me, mine, wanted, count, type, op, comm);
      if (rank == 0) at->bytes = 0;
  }
}

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

static void compare(struct slot* at) {
  at->busy = 0;
  if (!at->is_pairs) return check(names[at->kind], at->mine, at->wanted, at->bytes, at->call);
  int packed, ours = 0, theirs = 0;
  const int elements = (int)(at->bytes / (size_t)extent_of(at->type));
  PMPI_Pack_size(elements, at->type, MPI_COMM_WORLD, &packed);
  char *a = malloc((size_t)packed + 1), *b = malloc((size_t)packed + 1);
  PMPI_Pack(at->mine, elements, at->type, a, packed, &ours, MPI_COMM_WORLD);
  PMPI_Pack(at->wanted, elements, at->type, b, packed, &theirs, MPI_COMM_WORLD);
  check(names[at->kind], a, b, (size_t)ours, at->call);
  free(a);
  free(b);
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
