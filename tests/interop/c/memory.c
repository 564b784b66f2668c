/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Puts, gets and atomics on regions of the world and of a part of it. */
#include "check.h"

enum { words = 500 };

/* On words behind `at`. */
static void atomics(upwash_job* job, upwash_team* team, upwash_region* region, uint64_t at) {
  const int size = upwash_team_size(team), next = (upwash_team_rank(team) + 1) % size;
  uint64_t old = 0;
  /* All add to one counter of member 0, and draw numbers that nobody draws twice. */
  uint64_t sum = 0, total = 0;
  for (int i = 0; i < 50; ++i) {
    WORKS(job, upwash_atomic(region, 0, at, 8, UPWASH_ADD, 1, 0, &old));
    sum += old;
  }
  WORKS(job, upwash_all_reduce(team, &sum, &total, 1, UPWASH_UINT64, UPWASH_SUM, NULL));
  const uint64_t all = 50u * (uint64_t)size;
  CHECK(job, total == all * (all - 1) / 2);
  WORKS(job, upwash_atomic(region, 0, at, 8, UPWASH_LOAD, 0, 0, &old));
  CHECK(job, old == all);
  WORKS(job, upwash_barrier(team, NULL));

  /* Words of 4 bytes; each kind on a word of my own at my neighbour. */
  const uint64_t word = at + 16;
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_STORE, 12, 0, NULL));
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_SWAP, 10, 0, &old));
  CHECK(job, old == 12);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_COMPARE_SWAP, 99, 11, &old));
  CHECK(job, old == 10);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_COMPARE_SWAP, 6, 10, &old));
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_OR, 9, 0, &old));
  CHECK(job, old == 6);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_AND, 13, 0, &old));
  CHECK(job, old == 15);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_XOR, 0xffffffffu, 0, &old));
  CHECK(job, old == 13);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_MAX_SIGNED, 3, 0, &old));
  CHECK(job, old == 0xfffffff2u);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_MIN_UNSIGNED, 2, 0, &old));
  CHECK(job, old == 3);
  WORKS(job, upwash_atomic(region, next, word, 4, UPWASH_LOAD, 0, 0, &old));
  CHECK(job, old == 2);
}

static void on_team(upwash_job* job, upwash_team* team) {
  const int rank = upwash_team_rank(team), size = upwash_team_size(team);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  upwash_region* region = NULL;
  uint64_t out[words], in[words];
  size_t bytes = 0;
  WORKS(job, upwash_allocate(team, sizeof out + 64, &region));
  const uint64_t* mine = upwash_local(region, &bytes);
  CHECK(job, mine != NULL && bytes == sizeof out + 64 && mine[words] == 0);
  for (int i = 0; i < words; ++i) out[i] = (uint64_t)(rank * 1000 + i);
  WORKS(job, upwash_barrier(team, NULL));

  /* Blocking; in pieces by requests; until quiet. */
  WORKS(job, upwash_put(region, next, 0, out, sizeof out, NULL));
  WORKS(job, upwash_barrier(team, NULL));
  CHECK(job, mine[7] == (uint64_t)(before * 1000 + 7));
  WORKS(job, upwash_get(region, next, 0, in, sizeof in, NULL));
  CHECK(job, memcmp(in, out, sizeof in) == 0);
  memset(in, 0, sizeof in);
  upwash_request* pieces[5];
  for (int i = 0; i < 5; ++i) {
    WORKS(job, upwash_get(region, next, (uint64_t)i * sizeof in / 5, in + i * words / 5,
                          sizeof in / 5, &pieces[i]));
  }
  WORKS(job, upwash_wait_all(5, pieces));
  CHECK(job, memcmp(in, out, sizeof in) == 0);
  WORKS(job, upwash_barrier(team, NULL));
  for (int i = 0; i < words; ++i) out[i] += 5;
  for (int i = 0; i < words; ++i) {
    WORKS(job, upwash_put_later(region, next, (uint64_t)i * 8, &out[i], 8));
  }
  WORKS(job, upwash_quiet(job));
  WORKS(job, upwash_barrier(team, NULL));
  CHECK(job, mine[words - 1] == (uint64_t)(before * 1000 + words - 1 + 5));
  memset(in, 0, sizeof in);
  WORKS(job, upwash_get_later(region, next, 0, in, sizeof in));
  WORKS(job, upwash_quiet(job));
  CHECK(job, memcmp(in, out, sizeof in) == 0);

  atomics(job, team, region, sizeof out);
  WORKS(job, upwash_barrier(team, NULL));
  WORKS(job, upwash_free(&region));
  CHECK(job, region == NULL);
}

static int body(upwash_job* job, void* context) {
  upwash_team* part = NULL;
  int members[3];
  const int count = upwash_size(job) < 3 ? upwash_size(job) : 3;
  (void)context;
  on_team(job, upwash_world(job));
  for (int i = 0; i < count; ++i) members[i] = count - 1 - i;
  if (upwash_rank(job) < count) {
    WORKS(job, upwash_team_subset(upwash_world(job), members, count, &part));
    CHECK(job, upwash_team_rank(part) == count - 1 - upwash_rank(job));
    CHECK(job, upwash_world_rank(part, 0) == count - 1 && upwash_member_of(part, 0) == count - 1);
    on_team(job, part);
    WORKS(job, upwash_team_free(&part));
  }
  return say_ranks(job, "memory");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
