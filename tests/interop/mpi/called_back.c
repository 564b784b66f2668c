// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of the program's that MPI calls: none where MPI says none, and they may call MPI
// themselves. What else waits for nobody, and what is refused.
//
//   called_back [multiple]: with MPI_THREAD_MULTIPLE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, next, before, calls;
static MPI_Comm all;

#define WANT(what)                                                          \
  do {                                                                      \
    if (!(what)) {                                                          \
      fprintf(stderr, "rank %d, line %d: not %s\n", rank, __LINE__, #what); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                         \
    }                                                                       \
  } while (0)

static int copy_of_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* copied) {
  (void)type, (void)key, (void)extra;
  ++calls;
  memcpy(out, &in, sizeof in);
  *copied = 1;
  return MPI_SUCCESS;
}

static int end_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++calls;
  return MPI_SUCCESS;
}

static int copy_of_comm(MPI_Comm comm, int key, void* extra, void* in, void* out, int* copied) {
  (void)comm;
  return copy_of_type(MPI_DATATYPE_NULL, key, extra, in, out, copied);
}

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  int found = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, 99, all, &found, MPI_STATUS_IGNORE);
  WANT(!found);
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = 5;
  return MPI_SUCCESS;
}

static int end_of_request(void* extra) {
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static int cancelled(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

// Types and communicators that upwash makes for itself are none that the program has.
static void attributes(void) {
  int key, self_key, sent[4] = {1, 2, 3, 4}, got[8] = {0};
  MPI_Datatype sparse;
  MPI_Type_create_keyval(&copy_of_type, &end_of_type, &key, NULL);
  MPI_Comm_create_keyval(&copy_of_comm, MPI_COMM_NULL_DELETE_FN, &self_key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, self_key, &key);
  MPI_Type_vector(2, 1, 2, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  MPI_Type_set_attr(sparse, key, &key);
  MPI_Request both[2], kept;
  MPI_Irecv(got, 1, sparse, before, 1, all, &both[0]);
  MPI_Isend(sent, 1, sparse, next, 1, all, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  WANT(got[0] == 1 && got[1] == 0 && got[2] == 3);
  MPI_Send_init(sent, 1, sparse, MPI_PROC_NULL, 1, all, &kept);
  MPI_Request_free(&kept);
  MPI_Recv_init(got, 1, sparse, before, 1, all, &kept);
  MPI_Request_free(&kept);
  // One that ends within an element.
  MPI_Irecv(got, 2, sparse, before, 1, all, &both[0]);
  MPI_Send(sent, 3, MPI_INT, next, 1, all);
  MPI_Wait(&both[0], MPI_STATUS_IGNORE);
  WANT(got[0] == 1 && got[2] == 2 && got[3] == 3);
  WANT(calls == 0);
  MPI_Type_free(&sparse);
  WANT(calls == 1);
  MPI_Comm_delete_attr(MPI_COMM_SELF, self_key);
  MPI_Type_free_keyval(&key);
  MPI_Comm_free_keyval(&self_key);
}

// A function that a wait calls may call MPI.
static void generalized(int way) {
  int ended = 0, got = -1, so_far = 0, some = 0, places[2], flag = 0;
  MPI_Request both[2];
  MPI_Status of[2], now[2];
  MPI_Grequest_start(&query, &end_of_request, &cancelled, &ended, &both[0]);
  MPI_Irecv(&got, 1, MPI_INT, before, 2, all, &both[1]);
  MPI_Grequest_complete(both[0]);
  MPI_Send(&rank, 1, MPI_INT, next, 2, all);
  if (way == 0) MPI_Waitall(2, both, of);
  while (way == 1 && !flag) MPI_Testall(2, both, &flag, of);
  for (; way == 2 && so_far < 2; ++so_far) {
    MPI_Waitany(2, both, &places[0], &now[0]);
    WANT(places[0] == 0 || places[0] == 1);
    of[places[0]] = now[0];
  }
  for (; way == 3 && so_far < 2; so_far += some) {
    MPI_Waitsome(2, both, &some, places, now);
    for (int i = 0; i < some; ++i) of[places[i]] = now[i];
  }
  int number = 0;
  MPI_Get_elements(&of[0], MPI_INT, &number);
  WANT(of[0].MPI_SOURCE == 5 && number == 3 && ended == 1);
  WANT(of[1].MPI_SOURCE == before && got == before);
  WANT(both[0] == MPI_REQUEST_NULL && both[1] == MPI_REQUEST_NULL);
}

// MPI_Request_free waits for nobody, and what comes is delivered, also while the program waits in
// the MPI library, which has the messages on a communicator of MPI_Comm_idup.
static void freed(MPI_Comm theirs, int persistent) {
  int got[4] = {-1, -1, -1, -1}, sent[2] = {rank, rank + 1}, token = 0;
  MPI_Datatype sparse;
  MPI_Request request;
  MPI_Type_vector(2, 1, 3, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  if (persistent) {
    MPI_Recv_init(got, 1, sparse, before, 3, all, &request);
    MPI_Start(&request);
  } else {
    MPI_Irecv(got, 1, sparse, before, 3, all, &request);
  }
  MPI_Type_free(&sparse);
  MPI_Request_free(&request);
  WANT(request == MPI_REQUEST_NULL);
  MPI_Ssend(sent, 2, MPI_INT, next, 3, all);
  MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 4, before, 4, theirs, MPI_STATUS_IGNORE);
  MPI_Barrier(all);
  WANT(got[0] == before && got[1] == -1 && got[3] == before + 1);
}

// A communicator that the library does not free stays as it was.
static void not_freed(void) {
  MPI_Comm world = MPI_COMM_WORLD, made;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  WANT(MPI_Comm_free(&world) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (int i = 0; i < 3; ++i) {
    int one = 1, sum = 0, got = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 7, &got, 1, MPI_INT, before, 7, made, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
    WANT(got == before && sum == size);
    MPI_Comm_free(&made);
  }
}

static void refused(void) {
  int *most, found, code, word = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
  if (*most == 2147483647) return;
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Send(&word, 1, MPI_INT, next, *most + 1, all), &code);
  WANT(code == MPI_ERR_TAG);
  MPI_Error_class(MPI_Recv(&word, 1, MPI_INT, next, *most + 1, all, MPI_STATUS_IGNORE), &code);
  WANT(code == MPI_ERR_TAG);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  MPI_Comm theirs;
  MPI_Request made;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_idup(MPI_COMM_WORLD, &theirs, &made);
  MPI_Wait(&made, MPI_STATUS_IGNORE);
  attributes();
  for (int way = 0; way < 4; ++way) generalized(way);
  for (int i = 0; i < 20; ++i) freed(theirs, i % 2);
  not_freed();
  refused();
  MPI_Comm_free(&theirs);
  MPI_Comm_free(&all);
  MPI_Finalize();
  return 0;
}
