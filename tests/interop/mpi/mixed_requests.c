// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Requests of upwash's own among the MPI library's in one array, in every call that completes
// requests: mixed_requests [SEED [ROUNDS]]. The library's are messages to oneself on MPI_COMM_SELF,
// which upwash leaves to it, and generalized ones of the program's own; null and inactive ones
// stand between.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most = 24, none = -7 };

enum kind { ours, ours_kept, ours_sum, library, library_kept, general, null, inactive, kinds };

static int me, ranks, failures, round_now;
static unsigned long long state;
static MPI_Request requests[most], inactive_one, general_ones[most];
static enum kind kind_of[most];
static int received[most], sent[most], is_done[most];

static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33U) % below;
}

static void expect(int is, int wanted, const char* what) {
  if (is == wanted) return;
  if (++failures < 9)
    fprintf(stderr, "rank %d, round %d: %s: %d, not %d\n", me, round_now, what, is, wanted);
}

static int query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = 77;
  return MPI_SUCCESS;
}
static int freed(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static int cancelled(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

static int left_of(int rank) { return (rank + ranks - 1) % ranks; }
static int is_kept(int i) {
  return kind_of[i] == ours_kept || kind_of[i] == library_kept || kind_of[i] == inactive;
}
static int goes(int i) { return kind_of[i] != null && kind_of[i] != inactive; }

static void begin(int i, int self_tag) {
  const int tag = 100 * round_now + i;
  received[i] = none;
  sent[i] = 1000 * round_now + 10 * i + me;
  is_done[i] = 0;
  requests[i] = MPI_REQUEST_NULL;
  switch (kind_of[i]) {
    case ours:
      MPI_Irecv(&received[i], 1, MPI_INT, left_of(me), tag, MPI_COMM_WORLD, &requests[i]);
      break;
    case ours_kept:
      MPI_Recv_init(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
      break;
    case ours_sum:
      MPI_Iallreduce(&sent[i], &received[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
      break;
    case library:
      MPI_Irecv(&received[i], 1, MPI_INT, 0, self_tag, MPI_COMM_SELF, &requests[i]);
      break;
    case library_kept:
      MPI_Recv_init(&received[i], 1, MPI_INT, 0, self_tag, MPI_COMM_SELF, &requests[i]);
      break;
    case general:
      MPI_Grequest_start(query, freed, cancelled, &sent[i], &requests[i]);
      general_ones[i] = requests[i];
      break;
    case inactive: requests[i] = inactive_one; break;
    default: break;
  }
  if (kind_of[i] == ours_kept || kind_of[i] == library_kept) MPI_Start(&requests[i]);
}

// What the receives wait for.
static void answer(int i, int self_tag) {
  const int tag = 100 * round_now + i;
  if (kind_of[i] == ours || kind_of[i] == ours_kept)
    MPI_Send(&sent[i], 1, MPI_INT, (me + 1) % ranks, tag, MPI_COMM_WORLD);
  if (kind_of[i] == library || kind_of[i] == library_kept)
    MPI_Send(&sent[i], 1, MPI_INT, 0, self_tag, MPI_COMM_SELF);
  if (kind_of[i] == general) MPI_Grequest_complete(general_ones[i]);
}

static void came(int i, const MPI_Status* status) {
  expect(is_done[i]++, 0, "complete once");
  expect(goes(i), 1, "one that goes");
  int count = none, sum = 0;
  for (int r = 0; r < ranks; ++r) sum += 1000 * round_now + 10 * i + r;
  const int from_left = sent[i] - me + left_of(me);
  if (kind_of[i] == ours || kind_of[i] == ours_kept)
    expect(received[i], from_left, "a message of upwash's");
  if (kind_of[i] == ours_sum) expect(received[i], sum, "a sum");
  if (kind_of[i] == library || kind_of[i] == library_kept)
    expect(received[i], sent[i], "a message of the library's");
  if (!is_kept(i)) expect(requests[i] == MPI_REQUEST_NULL, 1, "no request any more");
  if (is_kept(i)) expect(requests[i] != MPI_REQUEST_NULL, 1, "a persistent request stays");
  if (status == NULL || kind_of[i] == ours_sum) return;
  MPI_Get_count(status, MPI_INT, &count);
  expect(count, kind_of[i] == general ? sent[i] : 1, "the count of a status");
  if (kind_of[i] == ours || kind_of[i] == ours_kept) {
    expect(status->MPI_SOURCE, left_of(me), "the source of a status");
    expect(status->MPI_TAG, 100 * round_now + i, "the tag of a status");
  }
  if (kind_of[i] == general) expect(status->MPI_TAG, 77, "the tag of a generalized one");
}

static int number_that_go(int number) {
  int all = 0;
  for (int i = 0; i < number; ++i) all += goes(i);
  return all;
}

static void complete_all(int number, int by_tests, MPI_Status* statuses) {
  int done = !by_tests;
  if (!by_tests) MPI_Waitall(number, requests, statuses);
  while (!done) MPI_Testall(number, requests, &done, statuses);
  for (int i = 0; i < number; ++i) {
    const MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i];
    int count = none;
    if (goes(i)) came(i, status);
    if (goes(i) || status == NULL) continue;
    MPI_Get_count(status, MPI_INT, &count);
    expect(count, 0, "an empty status");
    expect(status->MPI_SOURCE, MPI_ANY_SOURCE, "the source of an empty status");
  }
}

static void complete_any(int number, int by_tests) {
  for (int left = number_that_go(number); left > 0; --left) {
    int index = none, done = !by_tests;
    MPI_Status status;
    if (!by_tests) MPI_Waitany(number, requests, &index, &status);
    while (!done) MPI_Testany(number, requests, &index, &done, &status);
    if (index < 0 || index >= number) return expect(index, 0, "an index");
    came(index, &status);
  }
  int index = none, done = 0;
  MPI_Waitany(number, requests, &index, MPI_STATUS_IGNORE);
  expect(index, MPI_UNDEFINED, "the index where none is active");
  MPI_Testany(number, requests, &index, &done, MPI_STATUS_IGNORE);
  expect(index == MPI_UNDEFINED && done, 1, "a test where none is active");
}

static void complete_some(int number, int by_tests) {
  int indices[most], now = none;
  MPI_Status statuses[most];
  for (int left = number_that_go(number); left > 0; left -= now) {
    by_tests ? MPI_Testsome(number, requests, &now, indices, statuses)
             : MPI_Waitsome(number, requests, &now, indices, statuses);
    if (now < 0 || (now == 0 && !by_tests)) return expect(now, 1, "how many are complete");
    for (int i = 0; i < now; ++i) came(indices[i], &statuses[i]);
  }
  MPI_Waitsome(number, requests, &now, indices, statuses);
  expect(now, MPI_UNDEFINED, "how many where none is active");
}

static void complete_each(int number, int by_tests) {
  for (int n = 0; n < number; ++n) {
    const int i = number - 1 - n;
    int done = 0;
    MPI_Status status;
    while (by_tests && !done) MPI_Request_get_status(requests[i], &done, &status);
    if (by_tests && goes(i) && kind_of[i] != null)
      expect(requests[i] != MPI_REQUEST_NULL, 1, "only looked at");
    MPI_Wait(&requests[i], &status);
    if (goes(i)) came(i, &status);
  }
}

static void one_round(void) {
  const int number = 1 + (int)draw(most - 1), way = (int)draw(4), by_tests = (int)draw(2);
  const int late = (int)draw((unsigned)ranks);
  for (int i = 0; i < number; ++i) kind_of[i] = (enum kind)draw(kinds);
  for (int i = 0; i < number; ++i) begin(i, i);
  // Of one rank the answers come when the others wait.
  if (me == late) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  for (int i = number - 1; i >= 0; --i) answer(i, i);
  MPI_Status statuses[most];
  if (way == 0) complete_all(number, by_tests, draw(2) == 0 ? MPI_STATUSES_IGNORE : statuses);
  if (way == 1) complete_any(number, by_tests);
  if (way == 2) complete_some(number, by_tests);
  if (way == 3) complete_each(number, by_tests);
  MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < number; ++i) {
    if (kind_of[i] == ours_kept || kind_of[i] == library_kept) MPI_Request_free(&requests[i]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const int rounds = argc > 2 ? atoi(argv[2]) : 200;
  int never = 0;
  MPI_Recv_init(&never, 1, MPI_INT, left_of(me), 99, MPI_COMM_WORLD, &inactive_one);
  for (round_now = 1; round_now <= rounds && failures == 0; ++round_now) one_round();
  MPI_Request_free(&inactive_one);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
