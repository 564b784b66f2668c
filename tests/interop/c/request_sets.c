/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Waits and looks for some of several requests: gets, collectives and receives in one set. */
#include "check.h"

enum { most = 24, words = 4000 };

struct set {
  upwash_job* job;
  upwash_team* team;
  upwash_region* region;
  int rank, size, peers;
  upwash_request* requests[most];
  int reported[most];
  uint64_t fetched[words];
  int32_t came[most], reduced, mine;
  upwash_receipt receipts[most];
};

/* Request 0: a get; 1: a collective; then a receive from each other member. */
static size_t begin(struct set* s) {
  memset(s->reported, 0, sizeof s->reported);
  s->mine = s->rank + 1;
  s->reduced = 0;
  WORKS(s->job, upwash_get(s->region, (s->rank + 1) % s->size, 0, s->fetched, sizeof s->fetched,
                           &s->requests[0]));
  WORKS(s->job, upwash_all_reduce(s->team, &s->mine, &s->reduced, 1, UPWASH_INT32, UPWASH_SUM,
                                  &s->requests[1]));
  for (int k = 1; k < s->size; ++k) {
    WORKS(s->job, upwash_receive(s->team, (s->rank + k) % s->size, 3, &s->came[k], sizeof(int32_t),
                                 &s->receipts[k], &s->requests[1 + k]));
  }
  for (int k = 1; k < s->size; ++k) {
    WORKS(s->job, upwash_send(s->team, (s->rank + k) % s->size, 3, &s->mine, sizeof s->mine, NULL));
  }
  return (size_t)(s->size + 1);
}

/* Each was reported once, or was complete at once; the data is there. */
static void end(struct set* s, size_t count, const int* at_once) {
  for (size_t i = 0; i < count; ++i) {
    CHECK(s->job, s->requests[i] == NULL && s->reported[i] == !at_once[i]);
  }
  CHECK(s->job, s->reduced == s->size * (s->size + 1) / 2);
  CHECK(s->job, s->fetched[words - 1] == (uint64_t)((s->rank + 1) % s->size) + words - 1);
  for (int k = 1; k < s->size; ++k) {
    const int from = (s->rank + k) % s->size;
    CHECK(s->job, s->came[k] == from + 1 && s->receipts[k].source == from);
    CHECK(s->job, s->receipts[k].tag == 3 && s->receipts[k].bytes == sizeof(int32_t));
  }
  WORKS(s->job, upwash_barrier(s->team, NULL));
}

/* One way of taking what is complete until nothing is left. */
static void taken(struct set* s, int way) {
  size_t count = begin(s), index = 0, found = 0, indices[most];
  int at_once[most], done = 0;
  for (size_t i = 0; i < count; ++i) at_once[i] = s->requests[i] == NULL;
  for (;;) {
    found = 1;
    if (way == 0) WORKS(s->job, upwash_wait_any(count, s->requests, &index));
    if (way == 1) WORKS(s->job, upwash_test_any(count, s->requests, &index, &done));
    if (way == 2) WORKS(s->job, upwash_wait_some(count, s->requests, indices, &found));
    if (way == 3) WORKS(s->job, upwash_test_some(count, s->requests, indices, &found));
    if (way < 2) indices[0] = index;
    if (way == 1 && !done) continue;
    if (way < 2 ? index == UPWASH_NO_REQUEST : found == UPWASH_NO_REQUEST) break;
    CHECK(s->job, way != 2 || found > 0);
    for (size_t i = 0; i < found; ++i) {
      CHECK(s->job, indices[i] < count && (i == 0 || indices[i] > indices[i - 1]));
      CHECK(s->job, s->requests[indices[i]] == NULL && !s->reported[indices[i]]);
      s->reported[indices[i]] = 1;
    }
  }
  end(s, count, at_once);
}

/* A receive that no message fits yet is not reported; then it is, also by a plain wait. */
static void not_yet(struct set* s) {
  upwash_request* requests[2] = {NULL, NULL};
  int32_t first = 0, second = 0, word = 5;
  size_t index = 0;
  int done = 1;
  WORKS(s->job, upwash_receive(s->team, s->rank, 8, &first, 4, NULL, &requests[0]));
  WORKS(s->job, upwash_receive(s->team, s->rank, 9, &second, 4, NULL, &requests[1]));
  WORKS(s->job, upwash_test_any(2, requests, &index, &done));
  CHECK(s->job, done == 0 && index == UPWASH_NO_REQUEST);
  WORKS(s->job, upwash_send(s->team, s->rank, 9, &word, 4, NULL));
  WORKS(s->job, upwash_wait_any(2, requests, &index));
  CHECK(s->job, index == 1 && second == 5 && requests[1] == NULL && requests[0] != NULL);
  WORKS(s->job, upwash_send(s->team, s->rank, 8, &word, 4, NULL));
  WORKS(s->job, upwash_wait(&requests[0]));
  CHECK(s->job, first == 5);
}

/* What fails is reported with its status, and given back. */
static void failed(struct set* s) {
  upwash_request* requests[2] = {NULL, NULL};
  int64_t word = 7, other = 0;
  int32_t small = 0;
  size_t index = 0, found = 0, indices[2];
  WORKS(s->job, upwash_receive(s->team, s->rank, 8, &small, 4, NULL, &requests[1]));
  WORKS(s->job, upwash_send(s->team, s->rank, 8, &word, 8, NULL));
  CHECK(s->job, upwash_wait_any(2, requests, &index) == UPWASH_ARGUMENT);
  CHECK(s->job, index == 1 && requests[1] == NULL && small == 0);
  CHECK(s->job, strstr(upwash_error_text(s->job), "upwash_wait_any: ") != NULL);
  WORKS(s->job, upwash_receive(s->team, s->rank, 8, &small, 4, NULL, &requests[0]));
  WORKS(s->job, upwash_receive(s->team, s->rank, 8, &other, 8, NULL, &requests[1]));
  WORKS(s->job, upwash_send(s->team, s->rank, 8, &word, 8, NULL));
  WORKS(s->job, upwash_send(s->team, s->rank, 8, &word, 8, NULL));
  int status = UPWASH_OK, all = 0;
  while (all < 2) {
    const int now = upwash_wait_some(2, requests, indices, &found);
    if (status == UPWASH_OK) status = now;
    all += (int)found;
  }
  CHECK(s->job, status == UPWASH_ARGUMENT && other == 7);
}

static void nothing(struct set* s) {
  upwash_request* none[3] = {NULL, NULL, NULL};
  size_t index = 0, found = 0, indices[3];
  int done = 0;
  WORKS(s->job, upwash_wait_any(3, none, &index));
  CHECK(s->job, index == UPWASH_NO_REQUEST);
  WORKS(s->job, upwash_test_any(0, NULL, &index, &done));
  CHECK(s->job, done == 1 && index == UPWASH_NO_REQUEST);
  WORKS(s->job, upwash_wait_some(3, none, indices, &found));
  CHECK(s->job, found == UPWASH_NO_REQUEST);
  WORKS(s->job, upwash_test_some(3, none, indices, &found));
  CHECK(s->job, found == UPWASH_NO_REQUEST);
  CHECK(s->job, upwash_wait_any(1, NULL, &index) == UPWASH_ARGUMENT);
  CHECK(s->job, upwash_wait_any(3, none, NULL) == UPWASH_ARGUMENT);
  CHECK(s->job, upwash_wait_some(3, none, NULL, &found) == UPWASH_ARGUMENT);
  CHECK(s->job, upwash_test_any(3, none, &index, NULL) == UPWASH_ARGUMENT);
}

static int body(upwash_job* job, void* context) {
  struct set* s = calloc(1, sizeof *s);
  (void)context;
  s->job = job;
  s->team = upwash_world(job);
  s->rank = upwash_rank(job);
  s->size = upwash_size(job);
  CHECK(job, s->size + 1 <= most);
  WORKS(job, upwash_allocate(s->team, sizeof s->fetched, &s->region));
  uint64_t* mine = upwash_local(s->region, NULL);
  for (int i = 0; i < words; ++i) mine[i] = (uint64_t)(s->rank + i);
  WORKS(job, upwash_barrier(s->team, NULL));
  for (int r = 0; r < 12; ++r) taken(s, r % 4);
  not_yet(s);
  failed(s);
  nothing(s);
  WORKS(job, upwash_barrier(s->team, NULL));
  WORKS(job, upwash_free(&s->region));
  free(s);
  return say_ranks(job, "request_sets");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
