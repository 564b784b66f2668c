/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Bad input: a status, a text that names the call, and the job goes on. */
#include "check.h"

#define REFUSED(call, words)                                                      \
  do {                                                                            \
    CHECK(job, (call) == UPWASH_ARGUMENT);                                        \
    CHECK(job, strncmp(upwash_error_text(job), #call, strcspn(#call, "(")) == 0); \
    CHECK(job, strstr(upwash_error_text(job), words) != NULL);                    \
    CHECK(job, names_rank(job));                                                  \
  } while (0)

/* Behind the name of the function. */
static int names_rank(const upwash_job* job) {
  char words[32];
  snprintf(words, sizeof words, "rank %d", upwash_rank(job));
  return strstr(upwash_error_text(job), words) != NULL;
}

static void combine(const void* left, const void* right, void* into, size_t count, void* context) {
  (void)left, (void)right, (void)into, (void)count, (void)context;
}
static void take(const void* item, size_t bytes, void* context) {
  (void)item, (void)bytes, (void)context;
}

static void null_handles(upwash_job* job) {
  upwash_request* none = NULL;
  upwash_team* no_team = NULL;
  int done = 0;
  CHECK(job, upwash_barrier(NULL, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_put(NULL, 0, 0, NULL, 0, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_send(NULL, 0, 0, NULL, 0, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_stream_push(NULL, 0, NULL, 0) == UPWASH_ARGUMENT);
  CHECK(job, upwash_quiet(NULL) == UPWASH_ARGUMENT && upwash_progress(NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_team_free(&no_team) == UPWASH_ARGUMENT && upwash_free(NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_wait(&none) == UPWASH_OK && upwash_wait(NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_test(&none, &done) == UPWASH_OK && done == 1);
  CHECK(job, upwash_rank(NULL) == -1 && upwash_team_size(NULL) == -1 && upwash_world(NULL) == NULL);
  CHECK(job, upwash_local(NULL, NULL) == NULL && upwash_member_of(NULL, 0) == -1);
}

static int body(upwash_job* job, void* context) {
  upwash_team *world = upwash_world(job), *made = NULL, *same = world;
  upwash_region* region = NULL;
  upwash_stream* stream = NULL;
  upwash_own_operator own = {combine, NULL, 0, 1};
  const int size = upwash_size(job), nobody[1] = {size};
  const upwash_stream_options wrong = {-1, 0, 0, 0};
  double mine[4] = {0}, other[4];
  int found = 0;
  (void)context;
  null_handles(job);
  REFUSED(upwash_broadcast(world, size, mine, 8, NULL), "root");
  REFUSED(upwash_broadcast(world, 0, NULL, 8, NULL), "data is null");
  REFUSED(upwash_all_gather(world, mine, other, SIZE_MAX / 2 + 1, NULL),
          size > 1 ? "more than memory has" : "");
  REFUSED(upwash_all_reduce(world, mine, other, 1, UPWASH_DOUBLE, UPWASH_BIT_OR, NULL), "integers");
  REFUSED(upwash_all_reduce(world, mine, other, 1, (upwash_type)77, UPWASH_SUM, NULL),
          "no type 77");
  REFUSED(upwash_all_reduce(world, mine, other, 1, UPWASH_INT8, (upwash_operator)77, NULL),
          "no operator 77");
  REFUSED(upwash_all_reduce_by(world, mine, other, 1, NULL, NULL), "by is null");
  REFUSED(upwash_all_reduce_by(world, mine, other, 1, &own, NULL), "element_bytes is 0");
  REFUSED(upwash_all_gather_v(world, mine, 8, other, NULL, NULL, NULL), "all_bytes is null");
  REFUSED(upwash_send(world, size, 0, mine, 8, NULL), "");
  REFUSED(upwash_send(world, 0, -1, mine, 8, NULL), "tag");
  REFUSED(upwash_receive(world, 0, 0, NULL, 8, NULL, NULL), "into is null");
  REFUSED(upwash_probe(world, 0, 0, NULL, NULL), "found is null");
  REFUSED(upwash_probe(world, size, 0, &found, NULL), "");
  REFUSED(upwash_compute(job, -1.0), "seconds");
  REFUSED(upwash_team_free(&same), "world");
  REFUSED(upwash_team_subset(world, nobody, 1, &made), "");
  REFUSED(upwash_team_subset(world, NULL, 1, &made), "members is null");
  REFUSED(upwash_stream_open(world, NULL, NULL, NULL, &stream), "take is null");
  REFUSED(upwash_stream_open(world, take, NULL, &wrong, &stream), "");
  REFUSED(upwash_detach(&job), "upwash_run");

  WORKS(job, upwash_allocate(world, 64, &region));
  REFUSED(upwash_put(region, 0, 60, mine, 8, NULL), "");
  REFUSED(upwash_put(region, size, 0, mine, 8, NULL), "");
  REFUSED(upwash_get(region, 0, UINT64_MAX, mine, 8, NULL), "");
  REFUSED(upwash_atomic(region, 0, 0, 3, UPWASH_ADD, 1, 0, NULL), "3 bytes");
  REFUSED(upwash_atomic(region, 0, 4, 8, UPWASH_ADD, 1, 0, NULL), "");
  REFUSED(upwash_atomic(region, 0, 0, 8, (upwash_atomic_kind)55, 1, 0, NULL), "no kind 55");
  WORKS(job, upwash_free(&region));
  CHECK(job, upwash_allocate(world, SIZE_MAX, &region) == UPWASH_SYSTEM);
  CHECK(job, strstr(upwash_error_text(job), "a region has 2^44 - 1 at most") != NULL);

  /* Nothing of it is left: no bytes, and calls that are right. */
  WORKS(job, upwash_all_gather(world, NULL, NULL, 0, NULL));
  WORKS(job, upwash_all_reduce(world, mine, other, 4, UPWASH_DOUBLE, UPWASH_SUM, NULL));
  CHECK(job, strcmp(upwash_version(), "") != 0);
  return say_ranks(job, "refusals");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
