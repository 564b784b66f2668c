// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls of random arguments, on buffers of their own, beside the MPI library's own.
#pragma once

#include "random_calls.h"

enum { kinds = 17, ring = 17 };

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
  int busy, kind, call, is_pairs, in_place;
  MPI_Comm comm;
  MPI_Datatype type;
  size_t bytes;   // to compare
  size_t filled;  // of each buffer
  // Of nonblocking calls arguments stay as they are.
  struct blocks out, in;
  MPI_Datatype send_types[most_members], receive_types[most_members];
};

// CALL(name, later_name, arguments) and THEIRS say how the call at hand goes, and the library's own
// beside it: whoever includes this defines them.
// With the arguments before the result, the result of either, and those behind it.
#define BOTH(name, later_name, before, result, theirs, ...) \
  do {                                                      \
    CALL(name, later_name, before, result, __VA_ARGS__);    \
    THEIRS(name, later_name, before, theirs, __VA_ARGS__);  \
  } while (0)
#define WITH(...) __VA_ARGS__

// Both start from the same bytes: of what is in place `mine` and `wanted` are.
static void fill(struct slot* at) {
  for (size_t i = 0; i < at->filled; ++i) at->sent[i] = (char)(own_draw(7) + 1);
  for (size_t i = 0; i < at->filled; ++i) at->mine[i] = at->wanted[i] = (char)(own_draw(7) + 8);
  if (!at->in_place) return;
  memcpy(at->mine, at->sent, at->filled);
  memcpy(at->wanted, at->sent, at->filled);
}

// Where the program fills buffers when it starts calls, not where it describes them.
static int fills_later;

static void prepare(struct slot* at, int in_place, size_t bytes) {
  at->in_place = in_place;
  at->filled = bytes;
  if (!fills_later) fill(at);
}

static void moving(struct slot* at, int kind, MPI_Comm comm, int size, int rank, int count) {
  const struct type_case* of = &types[draw(type_count)];
  const int root = (int)draw((unsigned)size);
  const int mostly_all = (int)draw(3) == 0;  // in place, of those calls where all must say so
  const MPI_Datatype s = of->derived[own_draw(4)];
  MPI_Datatype r = of->derived[own_draw(4)];
#ifndef OPEN_MPI
  // MPICH 4.0.2 itself fails where ranks give different types for many bytes.
  if (kind == 7) r = of->derived[draw(4)];
#endif
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
      CALL(Reduce_scatter, Ireduce_scatter, from_me, mine, at->in.counts, type, op, comm);
      // MPICH 4.0.2 itself crashes in place where a rank's part is longer than what lies before it.
      THEIRS(Reduce_scatter, Ireduce_scatter, at->sent, wanted, at->in.counts, type, op, comm);
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
