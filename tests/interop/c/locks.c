/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Locks of each kind around counters that are read and written apart, and fences. */
#include "check.h"

enum { rounds = 12, per_rank = 2 };

/* Every rank adds to a counter beside each lock, by a get and a put: none is lost. */
static void counted(upwash_job* job, upwash_team* team, upwash_lock_kind kind) {
  const int size = upwash_team_size(team), rank = upwash_team_rank(team);
  upwash_locks* locks = NULL;
  upwash_region* region = NULL;
  WORKS(job, upwash_locks_make(team, per_rank, kind, 0, &locks));
  WORKS(job, upwash_allocate(team, per_rank * sizeof(uint64_t), &region));
  for (int r = 0; r < rounds; ++r) {
    const int member = (rank + r) % size, index = r % per_rank;
    const uint64_t at = (uint64_t)index * sizeof(uint64_t);
    uint64_t counter = 0;
    WORKS(job, upwash_lock(locks, member, index));
    CHECK(job, upwash_holds(locks, member, index) == 1);
    WORKS(job, upwash_get(region, member, at, &counter, sizeof counter, NULL));
    ++counter;
    WORKS(job, upwash_put(region, member, at, &counter, sizeof counter, NULL));
    WORKS(job, upwash_unlock(locks, member, index));
    CHECK(job, upwash_holds(locks, member, index) == 0);
  }
  WORKS(job, upwash_barrier(team, NULL));
  const uint64_t* mine = upwash_local(region, NULL);
  uint64_t sum = mine[0] + mine[1], all = 0;
  WORKS(job, upwash_all_reduce(team, &sum, &all, 1, UPWASH_UINT64, UPWASH_SUM, NULL));
  CHECK(job, all == (uint64_t)size * rounds);
  WORKS(job, upwash_free(&region));
  WORKS(job, upwash_locks_free(&locks));
  CHECK(job, locks == NULL);
}

/* While member 0 holds a lock nobody else gets it. */
static void tried(upwash_job* job, upwash_team* team) {
  const int rank = upwash_team_rank(team), last = upwash_team_size(team) - 1;
  upwash_locks* locks = NULL;
  int taken = 0;
  WORKS(job, upwash_locks_make(team, 1, UPWASH_LOCK_QUEUE, 1, &locks));
  if (rank == 0) {
    WORKS(job, upwash_try_lock(locks, last, 0, &taken));
    CHECK(job, taken == 1);
  }
  WORKS(job, upwash_barrier(team, NULL));
  if (rank != 0) {
    WORKS(job, upwash_try_lock(locks, last, 0, &taken));
    CHECK(job, taken == 0);
  } else {
    CHECK(job, upwash_lock(locks, last, 0) == UPWASH_ARGUMENT);
    CHECK(job, strstr(upwash_error_text(job), "upwash_lock: ") != NULL);
    if (last > 0) CHECK(job, upwash_lock(locks, 0, 0) == UPWASH_ARGUMENT); /* most_held */
  }
  WORKS(job, upwash_barrier(team, NULL));
  if (rank == 0) WORKS(job, upwash_unlock(locks, last, 0));
  CHECK(job, upwash_unlock(locks, last, 0) == UPWASH_ARGUMENT);
  CHECK(job, upwash_lock(locks, last + 1, 0) == UPWASH_ARGUMENT);
  CHECK(job, upwash_lock(locks, 0, 1) == UPWASH_ARGUMENT);
  CHECK(job, upwash_try_lock(locks, 0, 0, NULL) == UPWASH_ARGUMENT);
  WORKS(job, upwash_locks_free(&locks));
}

static void fences(upwash_job* job, upwash_team* team) {
  const int size = upwash_size(job), rank = upwash_rank(job), next = (rank + 1) % size;
  upwash_region* region = NULL;
  uint64_t words[8];
  WORKS(job, upwash_allocate(team, sizeof words, &region));
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < 8; ++i) words[i] = (uint64_t)(rank * 100 + r * 10 + i);
    WORKS(job, upwash_put_later(region, next, 0, words, sizeof words));
    if (r == 0) WORKS(job, upwash_fence(job, next));
    if (r == 1) WORKS(job, upwash_fence_all(job));
    if (r == 2) WORKS(job, upwash_quiet(job));
    WORKS(job, upwash_barrier(team, NULL));
    const uint64_t* mine = upwash_local(region, NULL);
    CHECK(job, mine[7] == (uint64_t)((rank + size - 1) % size * 100 + r * 10 + 7));
    WORKS(job, upwash_barrier(team, NULL));
  }
  CHECK(job, upwash_fence(job, size) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "upwash_fence: ") != NULL);
  CHECK(job, upwash_fence(NULL, 0) == UPWASH_ARGUMENT && upwash_fence_all(NULL) == UPWASH_ARGUMENT);
  WORKS(job, upwash_quiet(job));
  WORKS(job, upwash_free(&region));
}

static int body(upwash_job* job, void* context) {
  upwash_team *world = upwash_world(job), *part = NULL;
  upwash_locks* locks = NULL;
  (void)context;
  for (int kind = UPWASH_LOCK_TICKET; kind <= UPWASH_LOCK_ARRAY; ++kind) {
    counted(job, world, (upwash_lock_kind)kind);
  }
  tried(job, world);
  fences(job, world);
  WORKS(job, upwash_team_split(world, upwash_rank(job) % 2, -upwash_rank(job), &part));
  counted(job, part, UPWASH_LOCK_QUEUE);
  tried(job, part);
  WORKS(job, upwash_team_free(&part));
  CHECK(job, upwash_locks_make(world, 1, (upwash_lock_kind)77, 0, &locks) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "no kind 77 of locks") != NULL);
  CHECK(job, upwash_locks_make(world, -1, UPWASH_LOCK_QUEUE, 0, &locks) == UPWASH_ARGUMENT);
  CHECK(job, locks == NULL && upwash_locks_free(&locks) == UPWASH_ARGUMENT);
  CHECK(job, upwash_holds(NULL, 0, 0) == -1 && upwash_lock(NULL, 0, 0) == UPWASH_ARGUMENT);
  return say_ranks(job, "locks");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
