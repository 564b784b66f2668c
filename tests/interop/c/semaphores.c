/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Posts behind data around a ring, values that are taken, fence and barrier in one, and messages
   that are set up once. */
#include "check.h"

enum { rounds = 20, words = 16 };

/* Round by round the next rank finds the data of its post; the one before waits for room. */
static void ring(upwash_job* job, upwash_team* team, const upwash_layout* laid) {
  const int size = upwash_team_size(team), rank = upwash_team_rank(team);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  upwash_semaphores *filled = NULL, *room = NULL;
  upwash_region* region = NULL;
  uint64_t value = 99;
  int taken = 2;
  WORKS(job, upwash_semaphores_make(team, 2, 0, &filled));
  WORKS(job, upwash_semaphores_make(team, 1, 1, &room));
  WORKS(job, upwash_allocate(team, 2 * words * sizeof(int32_t), &region));
  WORKS(job, upwash_semaphore_try(filled, 1, 1, &taken));
  CHECK(job, taken == 0);
  WORKS(job, upwash_barrier(team, NULL)); /* nobody has posted before */
  for (int r = 0; r < rounds; ++r) {
    int32_t data[words];
    for (int i = 0; i < words; ++i) data[i] = rank * 1000 + r * words + i;
    upwash_request* under_way = NULL;
    WORKS(job, upwash_semaphore_wait(room, 0, 1));
    if (laid != NULL) {
      WORKS(job, upwash_put_laid_and_post(filled, region, next, 0, data, laid, 1, 2, &under_way));
    } else {
      WORKS(job, upwash_put_and_post(filled, region, next, 0, data, sizeof data, 1, 2, &under_way));
    }
    WORKS(job, upwash_semaphore_wait(filled, 1, 2));
    const int32_t* here = upwash_local(region, NULL);
    const int step = laid != NULL ? 2 : 1;
    for (int i = 0; i < words; ++i) CHECK(job, here[step * i] == before * 1000 + r * words + i);
    WORKS(job, upwash_post(room, before, 0, 1, NULL));
    WORKS(job, upwash_wait(&under_way));
  }
  WORKS(job, upwash_semaphore_value(filled, 1, &value));
  CHECK(job, value == 0);
  WORKS(job, upwash_barrier(team, NULL));
  WORKS(job, upwash_semaphore_try(room, 0, 1, &taken));
  CHECK(job, taken == 1);
  CHECK(job, upwash_post(room, size, 0, 1, NULL) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "upwash_post: rank ") != NULL);
  CHECK(job, upwash_post(room, 0, 1, 1, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_post(room, 0, 0, 0, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_semaphore_wait(room, -1, 1) == UPWASH_ARGUMENT);
  CHECK(job, upwash_semaphore_try(room, 0, 1, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_put_and_post(room, NULL, 0, 0, NULL, 0, 0, 1, NULL) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "to is null") != NULL);
  WORKS(job, upwash_free(&region));
  WORKS(job, upwash_semaphores_free(&room));
  WORKS(job, upwash_semaphores_free(&filled));
  CHECK(job, filled == NULL && upwash_semaphores_free(&filled) == UPWASH_ARGUMENT);
}

/* Everybody writes to everybody, and reads what all wrote. */
static void fenced(upwash_job* job, upwash_team* team) {
  const int size = upwash_team_size(team), rank = upwash_team_rank(team);
  upwash_region* region = NULL;
  WORKS(job, upwash_allocate(team, (size_t)size * sizeof(int32_t), &region));
  for (int r = 0; r < 4; ++r) {
    const int32_t mine = 100 * r + rank;
    for (int m = 0; m < size; ++m) {
      WORKS(job, upwash_put_later(region, m, (uint64_t)rank * sizeof mine, &mine, sizeof mine));
    }
    upwash_request* under_way = NULL;
    WORKS(job, upwash_fence_barrier(team, r % 2 == 0 ? NULL : &under_way));
    WORKS(job, upwash_wait(&under_way));
    const int32_t* here = upwash_local(region, NULL);
    for (int m = 0; m < size; ++m) CHECK(job, here[m] == 100 * r + m);
    WORKS(job, upwash_quiet(job));
    WORKS(job, upwash_barrier(team, NULL));
  }
  WORKS(job, upwash_free(&region));
}

/* One send and one receive, started again and again with what is in the buffers then. */
static void persistent_messages(upwash_job* job, upwash_team* team) {
  const int size = upwash_team_size(team), rank = upwash_team_rank(team);
  int32_t out[words], in[words];
  upwash_persistent *send = NULL, *receive = NULL, *wrong = NULL;
  upwash_receipt receipt = {-9, -9, 0};
  WORKS(job, upwash_send_prepare(team, (rank + 1) % size, 5, out, sizeof out, &send));
  WORKS(job, upwash_receive_prepare(team, UPWASH_ANY_SOURCE, 5, in, sizeof in, &receipt, &receive));
  for (int r = 0; r < rounds; ++r) {
    upwash_request* both[2] = {NULL, NULL};
    for (int i = 0; i < words; ++i) out[i] = rank + r * i;
    WORKS(job, upwash_start(receive, &both[0]));
    WORKS(job, upwash_start(send, r % 2 == 0 ? NULL : &both[1]));
    WORKS(job, upwash_wait_all(2, both));
    CHECK(job, receipt.source == (rank + size - 1) % size && receipt.tag == 5);
    CHECK(job, receipt.bytes == sizeof in);
    for (int i = 0; i < words; ++i) CHECK(job, in[i] == receipt.source + r * i);
    WORKS(job, upwash_barrier(team, NULL));
  }
  WORKS(job, upwash_persistent_free(&send));
  WORKS(job, upwash_persistent_free(&receive));
  CHECK(job, upwash_send_prepare(team, 0, 5, NULL, 8, &wrong) == UPWASH_ARGUMENT && wrong == NULL);
  CHECK(job, upwash_receive_prepare(team, 0, 5, in, 8, NULL, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_send_prepare(team, size, 5, out, 8, &wrong) == UPWASH_ARGUMENT && !wrong);
  CHECK(job, strstr(upwash_error_text(job), "destinations are 0 .. ") != NULL);
  CHECK(job, upwash_send_prepare(team, 0, UPWASH_ANY_TAG, out, 8, &wrong) == UPWASH_ARGUMENT);
  CHECK(job, upwash_receive_prepare(team, 0, -2, in, 8, NULL, &wrong) == UPWASH_ARGUMENT);
  CHECK(job, upwash_receive_prepare(team, size, 5, in, 8, NULL, &wrong) == UPWASH_ARGUMENT);
}

static int body(upwash_job* job, void* context) {
  upwash_team *world = upwash_world(job), *odd = NULL;
  const upwash_strided gaps = {sizeof(int32_t), 1, {{words, sizeof(int32_t), 2 * sizeof(int32_t)}}};
  const upwash_layout laid = {&gaps, NULL, 0};
  (void)context;
  WORKS(job, upwash_team_split(world, upwash_rank(job) % 2, -upwash_rank(job), &odd));
  ring(job, world, NULL);
  ring(job, odd, &laid);
  fenced(job, world);
  fenced(job, odd);
  persistent_messages(job, odd);
  WORKS(job, upwash_team_free(&odd));
  return say_ranks(job, "semaphores");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
