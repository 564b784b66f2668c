// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs of random calls share: numbers, types, blocks, comparing.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "persistent_names.h"

enum { most_members = 64 };

// The same numbers at all ranks.
static unsigned long long state;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

// What differs from rank to rank.
static unsigned long long own_state;
static unsigned own_draw(unsigned below) {
  own_state = own_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(own_state >> 33) % below;
}

struct type_case {
  MPI_Datatype type;
  MPI_Datatype derived[4];  // of the same signature, one element each; the rank takes any of them
};
// MPICH 4.0.2 itself truncates scattered pairs with a gap where ranks give different types for
// them.
#ifdef OPEN_MPI
enum { type_count = 5 };
#else
enum { type_count = 4 };
#endif
static struct type_case types[type_count];

static void make_types(void) {
  const MPI_Datatype basic[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_CHAR, MPI_DOUBLE_INT};
  for (int i = 0; i < type_count; ++i) {
    struct type_case* of = &types[i];
    MPI_Aint lower, extent;
    of->type = basic[i];
    MPI_Type_get_extent(of->type, &lower, &extent);
    of->derived[0] = of->type;
    MPI_Type_contiguous(1, of->type, &of->derived[1]);
    MPI_Type_create_resized(of->type, 0, 3 * extent, &of->derived[2]);
    const int at = 1;
    MPI_Datatype shifted;
    MPI_Type_create_indexed_block(1, 1, &at, of->type, &shifted);
    MPI_Type_create_resized(shifted, 0, 2 * extent, &of->derived[3]);
    MPI_Type_free(&shifted);
    for (int j = 1; j < 4; ++j) MPI_Type_commit(&of->derived[j]);
  }
}

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

static void free_types(void) {
  for (int i = 0; i < type_count; ++i) {
    for (int j = 1; j < 4; ++j) MPI_Type_free(&types[i].derived[j]);
  }
}

static int me, failures;

static void check(const char* what, const char* ours, const char* theirs, size_t bytes, int call) {
  if (memcmp(ours, theirs, bytes) == 0) return;
  size_t at = 0;
  while (ours[at] == theirs[at]) ++at;
  if (++failures < 5)
    fprintf(stderr, "rank %d: call %d, %s: differs at byte %zu of %zu\n", me, call, what, at,
            bytes);
}
