// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocking collectives that combine by operators of the program's own, one that commutes and one
// that does not, beside what they must give: own_operators [ROUNDS]. Ends with 1 where one is
// wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { prime = 251, most_ranks = 16 };

static int me, ranks, failures;

// x -> a * x + b modulo a prime, as a number: composing is associative, but the order counts.
static int composed(int first, int then) {
  const int a = first / prime * (then / prime) % prime;
  const int b = (then / prime * (first % prime) + then % prime) % prime;
  return a * prime + b;
}

static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] = composed(((int*)in)[i], ((int*)inout)[i]);
}

static void farthest(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size;
  MPI_Type_size(*type, &size);
  if (size != (int)sizeof(double)) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int i = 0; i < *length; ++i) {
    const double a = ((double*)in)[i], b = ((double*)inout)[i];
    if ((a < 0 ? -a : a) > (b < 0 ? -b : b)) ((double*)inout)[i] = a;
  }
}

static int map_of(int rank, int i) { return (i * 7 + rank * 31 + 1) % (prime * prime); }
static double number_of(int rank, int i) { return ((i * 13 + rank * 101) % 997 - 498) / 4.0; }

// What the ranks from 0 to before `end` give.
static int map_upto(int end, int i) {
  int all = map_of(0, i);
  for (int rank = 1; rank < end; ++rank) all = composed(all, map_of(rank, i));
  return all;
}
static double number_upto(int end, int i) {
  double all = number_of(0, i);
  for (int rank = 1; rank < end; ++rank) {
    const double each = number_of(rank, i);
    if (!((all < 0 ? -all : all) > (each < 0 ? -each : each))) all = each;
  }
  return all;
}

static void check(const char* what, int count, const int* seen, int end, int from) {
  for (int i = 0; i < count; ++i) {
    if (seen[i] == map_upto(end, from + i)) continue;
    fprintf(stderr, "rank %d: %s of %d: element %d is %d, expected %d\n", me, what, count, i,
            seen[i], map_upto(end, from + i));
    ++failures;
    return;
  }
}

static void maps(MPI_Op op, int count, int root, int in_place) {
  int* mine = malloc(sizeof(int) * (size_t)(count * ranks + 1));
  int* result = malloc(sizeof(int) * (size_t)(count * ranks + 1));
  int counts[most_ranks];
  for (int i = 0; i < count * ranks; ++i) mine[i] = map_of(me, i);
  const void* given = in_place ? MPI_IN_PLACE : mine;
#define AGAIN memcpy(result, mine, sizeof(int) * (size_t)(count * ranks))
  AGAIN;
  MPI_Allreduce(given, result, count, MPI_INT, op, MPI_COMM_WORLD);
  check("allreduce", count, result, ranks, 0);
  AGAIN;
  MPI_Reduce(me == root ? given : mine, me == root ? result : NULL, count, MPI_INT, op, root,
             MPI_COMM_WORLD);
  if (me == root) check("reduce", count, result, ranks, 0);
  AGAIN;
  MPI_Scan(given, result, count, MPI_INT, op, MPI_COMM_WORLD);
  check("scan", count, result, me + 1, 0);
  AGAIN;
  MPI_Exscan(given, result, count, MPI_INT, op, MPI_COMM_WORLD);
  if (me != 0) check("exscan", count, result, me, 0);
  AGAIN;
  MPI_Reduce_scatter_block(given, result, count, MPI_INT, op, MPI_COMM_WORLD);
  check("reduce_scatter_block", count, result, ranks, count * me);
  for (int i = 0; i < ranks; ++i) counts[i] = count;
  AGAIN;
  MPI_Reduce_scatter(given, result, counts, MPI_INT, op, MPI_COMM_WORLD);
  check("reduce_scatter", count, result, ranks, count * me);
#undef AGAIN
  free(mine);
  free(result);
}

static void numbers(MPI_Op op, int count) {
  double* mine = malloc(sizeof(double) * (size_t)(count + 1));
  double* result = malloc(sizeof(double) * (size_t)(count + 1));
  for (int i = 0; i < count; ++i) mine[i] = number_of(me, i);
  MPI_Allreduce(mine, result, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    // Of two as far one may come or the other.
    const double wanted = number_upto(ranks, i);
    if (result[i] == wanted || result[i] == -wanted) continue;
    fprintf(stderr, "rank %d: farthest of %d: element %d is %g, expected %g\n", me, count, i,
            result[i], wanted);
    ++failures;
    break;
  }
  free(mine);
  free(result);
}

// Of equal numbers either may come out: 0 and -0 have other bytes.
static void places(void) {
  struct {
    double value;
    int place;
  } mine = {me % 2 == 0 ? 0.0 : -0.0, me}, result = {1, -1};
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  if (result.value != 0 || result.place != 0) ++failures;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 2;
  const int counts[] = {0, 1, 2, 7, 100, 4097, 70000, 300001};
  for (int round = 0; round < rounds; ++round) {
    places();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
      MPI_Op in_order, in_any;
      MPI_Op_create(compose, 0, &in_order);
      MPI_Op_create(farthest, 1, &in_any);
      maps(in_order, counts[i], (int)i % ranks, round % 2);
      numbers(in_any, counts[i]);
      MPI_Op_free(&in_order);
      MPI_Op_free(&in_any);
    }
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("own_operators: %d ranks, %d wrong\n", ranks, all);
  MPI_Finalize();
  return all != 0;
}
