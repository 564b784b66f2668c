// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Corners of messages, two ranks or more: what is too long, ends within an element, is cancelled,
// freed, never asked for, tested alone, promised, or under way when its communicator goes.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, all, failures;

static void expect(const char* what, long long is, long long wanted) {
  if (is == wanted) return;
  ++failures;
  fprintf(stderr, "rank %d: %s: %lld, not %lld\n", me, what, is, wanted);
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

static int next, before;

// MPI_Isendrecv is MPI 4's. MPICH 4.0.2 itself ends where both ends are nobody.
static void of_nobody(void) {
#if MPI_VERSION >= 4
  int sent = me, received = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Isendrecv(&sent, 1, MPI_INT, next, 3, &received, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD,
                &request);
  int got = -1;
  MPI_Recv(&got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, &status);
  expect("what came from nobody: source", status.MPI_SOURCE, MPI_PROC_NULL);
  expect("what went all the same", got, before);
  expect("a buffer for nobody", received, -1);
#endif
}

static void too_long(void) {
  char sent[8] = "1234567", received[4];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request;
  MPI_Isend(sent, 8, MPI_CHAR, next, 1, comm, &request);
  expect("a receive too short",
         class_of(MPI_Recv(received, 4, MPI_CHAR, before, 1, comm, MPI_STATUS_IGNORE)),
         MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request both[2];
  MPI_Irecv(received, 4, MPI_CHAR, before, 1, comm, &both[0]);
  MPI_Isend(sent, 8, MPI_CHAR, next, 1, comm, &both[1]);
  expect("a receive too short, later", class_of(MPI_Wait(&both[0], MPI_STATUS_IGNORE)),
         MPI_ERR_TRUNCATE);
  MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  expect("a tag below 0", class_of(MPI_Send(sent, 1, MPI_CHAR, next, -7, comm)), MPI_ERR_TAG);
  expect("a rank beyond", class_of(MPI_Send(sent, 1, MPI_CHAR, all, 1, comm)), MPI_ERR_RANK);
  expect("no type", class_of(MPI_Send(sent, 1, MPI_DATATYPE_NULL, next, 1, comm)), MPI_ERR_TYPE);
  // What a call refuses is still there.
  MPI_Message taken;
  MPI_Isend(sent, 8, MPI_CHAR, next, 2, comm, &request);
  MPI_Mprobe(before, 2, comm, &taken, MPI_STATUS_IGNORE);
  memset(received, 0, sizeof received);
  expect("a message received as no type",
         MPI_Mrecv(received, 4, MPI_DATATYPE_NULL, &taken, MPI_STATUS_IGNORE) != MPI_SUCCESS, 1);
  char whole[8] = "";
  expect("a message behind that", MPI_Mrecv(whole, 8, MPI_CHAR, &taken, MPI_STATUS_IGNORE),
         MPI_SUCCESS);
  expect("what it holds", whole[6], '7');
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect("a count below 0",
         class_of(MPI_Recv(sent, -1, MPI_CHAR, before, 1, comm, MPI_STATUS_IGNORE)), MPI_ERR_COUNT);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
}

static void within_an_element(void) {
  struct pair {
    int first;
    double gap;
    int second;
  } sent[3] = {{1, 0, 2}, {3, 0, 4}, {5, 0, 6}}, received[3];
  MPI_Datatype type, plain;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {offsetof(struct pair, first), offsetof(struct pair, second)};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, parts, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(struct pair), &type);
  MPI_Type_commit(&type);
  int numbers[5] = {10, 20, 30, 40, 50}, count = 0;
  memset(received, 0, sizeof received);
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(numbers, 5, MPI_INT, next, 2, MPI_COMM_WORLD, &request);
  MPI_Recv(received, 3, type, before, 2, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_count(&status, type, &count);
  expect("elements, not whole", count, MPI_UNDEFINED);
  MPI_Get_elements(&status, type, &count);
  expect("numbers in them", count, 5);
  expect("the last of them", received[2].first, 50);
  expect("behind the last", received[2].second, 0);
  MPI_Isend(sent, 2, type, next, 2, MPI_COMM_WORLD, &request);
  MPI_Recv(numbers, 5, MPI_INT, before, 2, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect("elements as numbers", numbers[0] * 1000 + numbers[1] * 100 + numbers[2] * 10 + numbers[3],
         1234);
  // A type may go while its message is under way.
  memset(received, 0, sizeof received);
  MPI_Irecv(received, 3, type, before, 3, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);
  MPI_Type_free(&plain);
  MPI_Send(numbers, 4, MPI_INT, next, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  expect("with a type that is gone",
         received[0].first * 1000 + received[0].second * 100 + received[1].first * 10 +
             received[1].second,
         1234);
}

static void cancelled_and_freed(void) {
  int number = 0, flag = 0, sent = 11;
  MPI_Request request, other;
  MPI_Status status;
  MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &flag, &status);
  expect("an early test", flag, 0);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  expect("cancelled", flag, 1);
  expect("a handle that is over", request == MPI_REQUEST_NULL, 1);
  // One that got its message is not cancelled any more.
  MPI_Irecv(&number, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &request);
  MPI_Send(&sent, 1, MPI_INT, next, 4, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  expect("cancelled too late", flag, 0);
  expect("its number", number, 11);
  // Freed while under way: it comes all the same.
  volatile int later = 0;
  MPI_Irecv((void*)&later, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Isend(&sent, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  while (later != 11) MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  // Of two the one that can be over.
  MPI_Irecv(&number, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &request);
  MPI_Irecv(&sent, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &other);
  MPI_Request two[2] = {request, other};
  int which = -1, eight = 8;
  MPI_Send(&eight, 1, MPI_INT, next, 8, MPI_COMM_WORLD);
  MPI_Waitany(2, two, &which, &status);
  expect("which of two", which, 1);
  expect("its tag", status.MPI_TAG, 8);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&eight, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  MPI_Waitany(2, two, &which, &status);
  expect("the other of two", which, 0);
}

// Freed while they are under way, of one into memory with gaps that has come, and of a large one.
static void freed_under_way(void) {
  int flag = 0;
  MPI_Request request, other;
  MPI_Datatype gaps;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  enum { large = 1 << 18 };
  volatile int* apart = calloc(3, sizeof(int));
  volatile int* many = calloc(large, sizeof(int));
  int* numbers = malloc(large * sizeof(int));
  for (int i = 0; i < large; ++i) numbers[i] = i + 1;
  MPI_Irecv((void*)apart, 1, gaps, before, 41, MPI_COMM_WORLD, &request);
  MPI_Irecv((void*)many, large, MPI_INT, before, 42, MPI_COMM_WORLD, &other);
  MPI_Request_free(&other);
  MPI_Send(numbers, 2, MPI_INT, next, 41, MPI_COMM_WORLD);
  MPI_Send(numbers, 0, MPI_INT, next, 43, MPI_COMM_WORLD);
  MPI_Recv(&flag, 0, MPI_INT, before, 43, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Isend(numbers, large, MPI_INT, next, 42, MPI_COMM_WORLD, &request);
  for (int came = 0; came < large || apart[2] != 2;) {
    if (came < large && many[came] == came + 1) {
      ++came;
    } else {
      MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
  }
  expect("between what came", apart[0] * 10 + apart[1], 10);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&gaps);
  free((void*)apart);
  free((void*)many);
  free(numbers);
}

// Large ones, that their sender has to serve, while it tests, or waits in the MPI library.
static void served_meanwhile(void) {
  enum { bytes = 3 << 20 };
  char *out = malloc(bytes), *in = malloc(bytes);
  memset(out, me + 1, bytes);
  for (int round = 0; round < 3; ++round) {
    MPI_Request requests[2];
    int flag = 0;
    MPI_Irecv(in, bytes, MPI_CHAR, before, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, next, 9, MPI_COMM_WORLD, &requests[1]);
    if (round == 1) {
      MPI_Win window;
      MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
      MPI_Win_free(&window);
    } else if (round == 2) {
      MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    expect("a large message", in[bytes - 1], before + 1);
    memset(in, 0, bytes);
  }
  // In buffered mode it is over here, wherever it is.
  const int room = bytes + MPI_BSEND_OVERHEAD;
  char* buffer = malloc((size_t)room);
  MPI_Buffer_attach(buffer, room);
  MPI_Bsend(out, bytes, MPI_CHAR, next, 10, MPI_COMM_WORLD);
  memset(out, 77, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_CHAR, before, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect("a buffered message", in[bytes / 2], before + 1);
  int size;
  MPI_Buffer_detach(&buffer, &size);
  free(buffer);
  free(in);
  free(out);
}

static void communicators_that_go(void) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm, part;
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_allow_overtaking", round % 2 ? "true" : "false");
    MPI_Info_set(hints, "mpi_assert_no_any_source", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &comm);
    MPI_Comm_set_info(comm, hints);
    MPI_Info_free(&hints);
    int in = -1, out = 100 * round + me;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, before, 11, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, 11, comm, &requests[1]);
    MPI_Comm_split(comm, 0, -me, &part);
    MPI_Comm_free(&comm);
    int turned = -1;
    const int mine = all - 1 - me;
    MPI_Sendrecv(&me, 1, MPI_INT, (mine + 1) % all, 12, &turned, 1, MPI_INT, (mine + all - 1) % all,
                 12, part, MPI_STATUS_IGNORE);
    expect("in turned order", turned, all - 1 - (mine + all - 1) % all);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect("on a communicator that went", in, 100 * round + before);
    MPI_Comm_free(&part);
  }
  // One waits for what is under way on it, and the program asks later.
  MPI_Comm ends;
  MPI_Request parts[2];
  int last = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &ends);
  MPI_Irecv(&last, 1, MPI_INT, before, 17, ends, &parts[0]);
  MPI_Issend(&me, 1, MPI_INT, next, 17, ends, &parts[1]);
  MPI_Comm_disconnect(&ends);
  expect("what came before its communicator went", last, before);
  MPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
  MPI_Comm group_comm;
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &group_comm);
  MPI_Group_free(&group);
  int came = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, next, 13, &came, 1, MPI_INT, before, 13, group_comm,
               MPI_STATUS_IGNORE);
  expect("of a group", came, before);
  MPI_Comm_free(&group_comm);
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Sendrecv(&me, 1, MPI_INT, next, 14, &came, 1, MPI_INT, before, 14, copy, MPI_STATUS_IGNORE);
  expect("of one that was duplicated later", came, before);
  MPI_Comm_free(&copy);
  MPI_Sendrecv(&next, 1, MPI_INT, 0, 15, &came, 1, MPI_INT, 0, 15, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  expect("to oneself", came, next);
}

// Requests that stay: inactive, cancelled, too short, and longer than their communicator.
static void kept(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  static int in[2], out[2];  // of requests that are freed under way
  int flag = 0, which = 0;
  out[1] = me + 2;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, two[2];
  MPI_Recv_init(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
  MPI_Datatype copy;
  MPI_Type_dup(MPI_INT, &copy);
  MPI_Send_init(out, 2, copy, next, 16, comm, &requests[1]);
  MPI_Type_free(&copy);
  MPI_Test(&requests[0], &flag, &status);
  expect("an inactive one is complete", flag, 1);
  expect("of nobody", status.MPI_SOURCE, MPI_ANY_SOURCE);
  MPI_Waitany(2, requests, &which, &status);
  expect("none of them is active", which, MPI_UNDEFINED);
  for (int round = 0; round < 3; ++round) {
    out[0] = 10 * me + round;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, two);
    expect("what came again", in[0], 10 * before + round);
    expect("its source", two[0].MPI_SOURCE, before);
    expect("its tag", two[0].MPI_TAG, 16);
    int count = 0;
    MPI_Get_count(&two[0], MPI_INT, &count);
    expect("its count", count, 2);
    MPI_Barrier(comm);
  }
  MPI_Start(&requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  expect("a start that was cancelled", flag, 1);
  MPI_Recv_init(in, 1, MPI_INT, before, 16, comm, &requests[2]);
  MPI_Barrier(comm);
  MPI_Start(&requests[2]);
  MPI_Start(&requests[1]);
  expect("one that is too short", class_of(MPI_Wait(&requests[2], &status)), MPI_ERR_TRUNCATE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[2]);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, two);
  expect("longer than its communicator", two[0].MPI_SOURCE, before);
  // Freed while they are under way.
  MPI_Startall(2, requests);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  next = (me + 1) % all;
  before = (me + all - 1) % all;
  of_nobody();
  too_long();
  within_an_element();
  cancelled_and_freed();
  freed_under_way();
  served_meanwhile();
  communicators_that_go();
  kept();
  int most = 0;
  MPI_Allreduce(&failures, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  // What programs leave behind: a receive that nothing meets, a message that was only taken out.
  int never, never_asked;
  MPI_Request left;
  MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &left);
  MPI_Irecv(&never_asked, 1, MPI_INT, before, 97, MPI_COMM_WORLD, &left);
  MPI_Send(&me, 1, MPI_INT, next, 97, MPI_COMM_WORLD);
  MPI_Message taken;
  MPI_Send(&me, 1, MPI_INT, next, 98, MPI_COMM_WORLD);
  MPI_Mprobe(before, 98, MPI_COMM_WORLD, &taken, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return most != 0;
}
