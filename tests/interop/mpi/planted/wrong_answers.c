// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// To be loaded before upwash's preload library: where upwash has answered a call itself, the answer
// is wrong by one byte. Who calls the MPI library instead comes by its second name here, and that
// answer stays right. PLANTED names functions of these, with commas between; without it all are
// planted. The first of each process is said on standard error. With PLANTED_AT=library it is the
// other way round.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int by_library;

static int is_at_library(void) {
  const char* at = getenv("PLANTED_AT");
  return at != NULL && strcmp(at, "library") == 0;
}

static int is_planted(const char* name) {
  const char* all = getenv("PLANTED");
  if (all == NULL) return 1;
  const size_t length = strlen(name);
  for (const char* at = all; (at = strstr(at, name)) != NULL; at += length) {
    if ((at == all || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) return 1;
  }
  return 0;
}

// A byte that holds data, of an integer or of floating point one that changes it much.
static void plant(const char* name, void* buffer, int count, MPI_Datatype type) {
  static int said;
  int integers, addresses, types, combiner, size;
  MPI_Aint lowest, extent;
  if (count <= 0 || buffer == NULL || !is_planted(name)) return;
  PMPI_Type_size(type, &size);
  if (size == 0) return;
  PMPI_Type_get_true_extent(type, &lowest, &extent);
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  const int last = combiner != MPI_COMBINER_NAMED ? 0 : size < 8 ? size - 1 : 7;
  ((char*)buffer)[lowest + last] ^= 0x11;
  if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    fprintf(stderr, "planted: an answer of %s's is wrong by one byte\n", name);
}

static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "planted: no %s behind this library\n", name);
    abort();
  }
  return found;
}

// MPI_NAME asks upwash and plants unless that has called PMPI_NAME; `wrong` says where.
#define PLANT(name, declared, arguments, wrong)                        \
  int MPI_##name declared {                                            \
    static int(*theirs) declared;                                      \
    if (theirs == NULL) theirs = (int(*) declared)next("MPI_" #name);  \
    by_library = 0;                                                    \
    const int code = theirs arguments;                                 \
    if (!by_library && !is_at_library() && code == MPI_SUCCESS) wrong; \
    return code;                                                       \
  }                                                                    \
  int PMPI_##name declared {                                           \
    static int(*theirs) declared;                                      \
    if (theirs == NULL) theirs = (int(*) declared)next("PMPI_" #name); \
    by_library = 1;                                                    \
    const int code = theirs arguments;                                 \
    if (is_at_library() && code == MPI_SUCCESS) wrong;                 \
    return code;                                                       \
  }

static int is_rank(int root, MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

PLANT(Allreduce,
      (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (sent, received, count, type, op, comm), plant("MPI_Allreduce", received, count, type))
PLANT(Scan,
      (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (sent, received, count, type, op, comm), plant("MPI_Scan", received, count, type))
PLANT(Reduce,
      (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
       MPI_Comm comm),
      (sent, received, count, type, op, root, comm),
      if (is_rank(root, comm)) plant("MPI_Reduce", received, count, type))
PLANT(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
      (buffer, count, type, root, comm),
      if (!is_rank(root, comm)) plant("MPI_Bcast", buffer, count, type))
PLANT(Allgather,
      (const void* sent, int sends, MPI_Datatype send_type, void* received, int receives,
       MPI_Datatype receive_type, MPI_Comm comm),
      (sent, sends, send_type, received, receives, receive_type, comm),
      plant("MPI_Allgather", received, receives, receive_type))
PLANT(Alltoall,
      (const void* sent, int sends, MPI_Datatype send_type, void* received, int receives,
       MPI_Datatype receive_type, MPI_Comm comm),
      (sent, sends, send_type, received, receives, receive_type, comm),
      plant("MPI_Alltoall", received, receives, receive_type))
PLANT(Neighbor_alltoall,
      (const void* sent, int sends, MPI_Datatype send_type, void* received, int receives,
       MPI_Datatype receive_type, MPI_Comm comm),
      (sent, sends, send_type, received, receives, receive_type, comm),
      plant("MPI_Neighbor_alltoall", received, receives, receive_type))

// Of a receive that may get less than it has room for.
static int count_of(const MPI_Status* status, int room, MPI_Datatype type) {
  int count;
  if (status == MPI_STATUS_IGNORE) return room;
  PMPI_Get_count(status, type, &count);
  return count;
}

PLANT(Recv,
      (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Status* status),
      (buffer, count, type, from, tag, comm, status),
      plant("MPI_Recv", buffer, count_of(status, count, type), type))
