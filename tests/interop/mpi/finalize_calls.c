// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Finalize first calls the delete functions of attributes of MPI_COMM_SELF, which may call MPI:
// libraries complete and free there all that they have (parallel HDF5, PETSc).
//
//   finalize_calls [multiple]: with MPI_THREAD_MULTIPLE
#include "persistent_names.h"

#include <mpi.h>
#include <stdio.h>

static int rank, size, next, before, out, in = -1, bit, some, kept_in = -1, kept_sum, deleted;
static MPI_Comm used, unused;
static MPI_Request collective, messages[2], receive, sum;
static MPI_Datatype column;

#define WANT(what)                                                          \
  do {                                                                      \
    if (!(what)) {                                                          \
      fprintf(stderr, "rank %d, line %d: not %s\n", rank, __LINE__, #what); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                         \
    }                                                                       \
  } while (0)

static int keep(MPI_Comm comm, int key, void* extra, void* in_value, void* out_value, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in_value, (void)out_value;
  *flag = 0;
  return MPI_SUCCESS;
}

// Called last, since it was set first.
static int free_all(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  WANT(deleted == 1);
  MPI_Wait(&collective, MPI_STATUS_IGNORE);
  WANT(bit == 3);
  MPI_Waitall(2, messages, MPI_STATUSES_IGNORE);
  WANT(in == before);
  MPI_Send(&out, 1, MPI_INT, next, 5, used);
  MPI_Start(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  WANT(kept_in == before);
  MPI_Request_free(&receive);
  some = 2;
  MPI_Start(&sum);
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
  WANT(kept_sum == 2 * size);
  MPI_Request_free(&sum);
  MPI_Comm_free(&unused);
  MPI_Comm_free(&used);
  MPI_Comm late;
  MPI_Comm_dup(MPI_COMM_WORLD, &late);
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, late);
  WANT(all == size);
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Comm_free(&late);
  MPI_Type_free(&column);
  int finalized = 1;
  MPI_Finalized(&finalized);
  WANT(!finalized);
  ++deleted;
  return MPI_SUCCESS;
}

static int note(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Barrier(MPI_COMM_WORLD);
  ++deleted;
  return MPI_SUCCESS;
}

static void begin_all(void) {
  static int two = 3;
  MPI_Comm leaked;
  MPI_Comm_dup(MPI_COMM_WORLD, &unused);
  MPI_Comm_dup(MPI_COMM_WORLD, &used);
  MPI_Comm_dup(MPI_COMM_WORLD, &leaked);  // that nobody frees
  MPI_Barrier(used);
  MPI_Barrier(leaked);
  MPI_Type_vector(2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  int columns[8] = {0}, column_sent[4] = {rank, 0, rank, 0};
  MPI_Allgather(column_sent, 2, MPI_INT, columns, 2, MPI_INT, MPI_COMM_SELF);
  MPI_Bcast(columns, 1, column, 0, used);
  MPI_Iallreduce(&two, &bit, 1, MPI_INT, MPI_BOR, used, &collective);
  MPI_Irecv(&in, 1, MPI_INT, before, 4, used, &messages[0]);
  MPI_Isend(&out, 1, MPI_INT, next, 4, used, &messages[1]);
  MPI_Recv_init(&kept_in, 1, MPI_INT, before, 5, used, &receive);
  INIT(Allreduce)(&some, &kept_sum, 1, MPI_INT, MPI_SUM, used, MPI_INFO_NULL, &sum);
}

int main(int argc, char** argv) {
  int level, first, second;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  out = rank;
  MPI_Comm_create_keyval(&keep, &free_all, &first, NULL);
  MPI_Comm_create_keyval(&keep, &note, &second, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, first, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, second, NULL);
  begin_all();
  MPI_Finalize();
  return deleted == 2 ? 0 : 1;
}
