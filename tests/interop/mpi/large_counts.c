// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI 4's functions of large counts, each beside the MPI library's own, blocking, nonblocking and
// persistent:
// large_counts [SEED [ROUNDS [MOST_BYTES]]]; large_counts above BYTES: one broadcast and one
// all-gather of so many, whose numbers are known.
#include <mpi.h>

#if MPI_VERSION >= 4

#include "random_calls.h"

enum { kinds = 20 };
static const char* const names[kinds] = {"Bcast",
                                         "Gather",
                                         "Gatherv",
                                         "Scatter",
                                         "Scatterv",
                                         "Allgather",
                                         "Allgatherv",
                                         "Alltoall",
                                         "Alltoallv",
                                         "Alltoallw",
                                         "Reduce",
                                         "Allreduce",
                                         "Scan",
                                         "Exscan",
                                         "Reduce_scatter",
                                         "Reduce_scatter_block",
                                         "Neighbor_allgather",
                                         "Neighbor_allgatherv",
                                         "Neighbor_alltoallv",
                                         "Neighbor_alltoallw"};

enum manner { at_once, later, kept };

// The call with either result: blocking, or nonblocking and waited for; or persistent, beside the
// library's own blocking one.
#define BOTH(name, later_name, ...)                                                 \
  do {                                                                              \
    MPI_Request requests[2];                                                        \
    void* result = mine;                                                            \
    if (how == at_once) MPI_##name##_c(__VA_ARGS__);                                \
    if (how == later) MPI_##later_name##_c(__VA_ARGS__, &requests[0]);              \
    if (how == kept) MPI_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &requests[0]); \
    if (how == kept) start_twice(&requests[0]);                                     \
    result = wanted;                                                                \
    if (how != later) PMPI_##name##_c(__VA_ARGS__);                                 \
    if (how == later) PMPI_##later_name##_c(__VA_ARGS__, &requests[1]);             \
    if (how == later) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                \
  } while (0)

static void start_twice(MPI_Request* request) {
  for (int i = 0; i < 2; ++i) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(request);
}

static char *sent, *mine, *wanted;

// The call at hand: the same at all ranks.
static enum manner how;
static int ranks, root;
static MPI_Comm comm;
static MPI_Count count;

// Its arguments at this rank.
static MPI_Datatype s, r, send_types[most_members], receive_types[most_members];
static MPI_Count own, to[most_members], from[most_members];
static MPI_Aint out[most_members], in[most_members];

// Neighbours are the rank before and the one behind.
static void lay_out(int kind) {
  const int in_bytes = kind == 9 || kind == 19, near = kind >= 16, blocks = near ? 2 : ranks;
  // Gathered and scattered blocks have one length at both ends.
  const int by_member = kind == 2 || kind == 4 || kind == 6 || kind == 17;
  MPI_Aint sent_end = 0, received_end = 0;
  own = (me * 5) % (count + 1);
  for (int i = 0; i < blocks; ++i) {
    const int other = near ? (me + (i == 0 ? ranks - 1 : 1)) % ranks : i;
    to[i] = (me * 7 + other * 3) % (count + 1);
    from[i] = (other * 7 + me * 3) % (count + 1);
    if (by_member) to[i] = from[i] = (other * 5) % (count + 1);
    out[i] = sent_end * (in_bytes ? extent_of(s) : 1);
    in[i] = received_end * (in_bytes ? extent_of(r) : 1);
    sent_end += to[i] + (MPI_Aint)own_draw(3);
    received_end += from[i] + (MPI_Aint)own_draw(3);
    send_types[i] = s;
    receive_types[i] = r;
  }
}

static void moving(int kind) {
  switch (kind) {
    case 0: BOTH(Bcast, Ibcast, result, count, r, root, comm); break;
    case 1: BOTH(Gather, Igather, sent, count, s, result, count, r, root, comm); break;
    case 2: BOTH(Gatherv, Igatherv, sent, own, s, result, from, in, r, root, comm); break;
    case 3: BOTH(Scatter, Iscatter, sent, count, s, result, count, r, root, comm); break;
    case 4: BOTH(Scatterv, Iscatterv, sent, to, out, s, result, own, r, root, comm); break;
    case 5: BOTH(Allgather, Iallgather, sent, count, s, result, count, r, comm); break;
    case 6: BOTH(Allgatherv, Iallgatherv, sent, own, s, result, from, in, r, comm); break;
    case 7: BOTH(Alltoall, Ialltoall, sent, count, s, result, count, r, comm); break;
    case 8: BOTH(Alltoallv, Ialltoallv, sent, to, out, s, result, from, in, r, comm); break;
    default:
      BOTH(Alltoallw, Ialltoallw, sent, to, out, send_types, result, from, in, receive_types, comm);
  }
}

// Returns how many elements of the result count here.
static MPI_Count combining(int kind) {
  switch (kind) {
    case 10:
      BOTH(Reduce, Ireduce, sent, result, count, MPI_INT, MPI_SUM, root, comm);
      return me == root ? count : 0;
    case 11: BOTH(Allreduce, Iallreduce, sent, result, count, MPI_INT, MPI_MAX, comm); break;
    case 12: BOTH(Scan, Iscan, sent, result, count, MPI_INT, MPI_SUM, comm); break;
    case 13:
      BOTH(Exscan, Iexscan, sent, result, count, MPI_INT, MPI_SUM, comm);
      return me != 0 ? count : 0;
    case 14:
      for (int i = 0; i < ranks; ++i) from[i] = (i * 5) % (count + 1);
      BOTH(Reduce_scatter, Ireduce_scatter, sent, result, from, MPI_INT, MPI_BXOR, comm);
      return own;
    default:
      BOTH(Reduce_scatter_block, Ireduce_scatter_block, sent, result, count, MPI_INT, MPI_MIN,
           comm);
  }
  return count;
}

static void near_by(int kind) {
  switch (kind) {
    case 16:
      BOTH(Neighbor_allgather, Ineighbor_allgather, sent, count, s, result, count, r, comm);
      break;
    case 17:
      BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, sent, own, s, result, from, in, r, comm);
      break;
    case 18:
      BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, sent, to, out, s, result, from, in, r, comm);
      break;
    default:
      BOTH(Neighbor_alltoallw, Ineighbor_alltoallw, sent, to, out, send_types, result, from, in,
           receive_types, comm);
  }
}

// Elements have three times their length at most, with up to two between blocks.
static size_t room_for(MPI_Count most) {
  return ((size_t)most * (size_t)(ranks + 2) + 16 + 4 * (size_t)ranks) * 3 * sizeof(int);
}

static void one_call(int kind, int call) {
  s = types[0].derived[own_draw(4)];
  r = types[0].derived[own_draw(4)];
  root = (int)draw((unsigned)ranks);
  lay_out(kind);
  size_t compared = room_for(count);
  for (size_t i = 0; i < compared; ++i) {
    sent[i] = (char)own_draw(7);
    mine[i] = wanted[i] = kind == 0 ? sent[i] : 9;
  }
  if (kind < 10) moving(kind);
  if (kind >= 10 && kind < 16) compared = (size_t)combining(kind) * sizeof(int);
  if (kind >= 16) near_by(kind);
  check(names[kind], mine, wanted, compared, call);
}

static char number_at(size_t at, int rank) {
  return (char)(at * 31 + (at >> 20) + (size_t)rank * 7);
}

// In bytes that no int counts, where the argument says so: the numbers themselves are the oracle.
static void above(size_t bytes) {
  char* data = malloc(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = me == 0 ? number_at(i, 0) : 0;
  MPI_Bcast_c(data, (MPI_Count)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (size_t i = 0; i < bytes; ++i) failures += data[i] != number_at(i, 0);
  const size_t block = bytes / (size_t)ranks;
  char* own = malloc(block);
  for (size_t i = 0; i < block; ++i) own[i] = number_at(i, me);
  MPI_Allgather_c(own, (MPI_Count)block, MPI_CHAR, data, (MPI_Count)block, MPI_CHAR,
                  MPI_COMM_WORLD);
  for (int from = 0; from < ranks; ++from) {
    for (size_t i = 0; i < block; ++i)
      failures += data[(size_t)from * block + i] != number_at(i, from);
  }
  free(own);
  free(data);
}

static void random_calls(int rounds, MPI_Count most) {
  // MPICH 4.0.2 itself is wrong on periodic dimensions of two.
  const int periodic = ranks > 2;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &comm);
  sent = malloc(room_for(most));
  mine = malloc(room_for(most));
  wanted = malloc(room_for(most));
  for (int call = 0; call < rounds * kinds; ++call) {
    const unsigned bits = draw(20);
    const MPI_Count wish = (MPI_Count)draw(1U << bits) + 1;
    count = wish < most ? wish : most;
    how = (enum manner)draw(3);
    one_call(call % kinds, call);
  }
  free(sent);
  free(mine);
  free(wanted);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 2 && strcmp(argv[1], "above") == 0) {
    above((size_t)strtoull(argv[2], 0, 10));
  } else {
    state = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
    own_state = state * 977 + (unsigned long long)me;
    make_types();
    const int most = argc > 3 ? atoi(argv[3]) : 65536;
    random_calls(argc > 2 ? atoi(argv[2]) : 4, most / (int)sizeof(int));
    free_types();
  }
  int sum = 0;
  PMPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("large_counts: %d ranks, %d wrong\n", ranks, sum);
  MPI_Finalize();
  return sum != 0;
}

#else

// This MPI has none.
int main(void) { return 77; }

#endif
