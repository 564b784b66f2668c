/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Messages by source and tag, wild and not, and streams of bytes whose handlers push on. */
#include "check.h"

enum { most_bytes = 70000, items = 300 };

static unsigned char byte_of(int source, int tag, size_t i) {
  return (unsigned char)(source * 17 + tag * 5 + (int)(i % 251));
}
static size_t length_of(int source, int tag) {
  return (size_t)(source * 7919 + tag * 104729) % most_bytes;
}

static void messages(upwash_job* job) {
  upwash_team* world = upwash_world(job);
  const int rank = upwash_rank(job), size = upwash_size(job);
  unsigned char *out = malloc(3 * most_bytes), *in = malloc(most_bytes);
  upwash_request* sent[3];
  for (int tag = 0; tag < 3; ++tag) {
    unsigned char* at = out + tag * most_bytes;
    for (size_t i = 0; i < length_of(rank, tag); ++i) at[i] = byte_of(rank, tag, i);
    WORKS(job, upwash_send(world, (rank + 1) % size, tag, at, length_of(rank, tag), &sent[tag]));
  }
  const int before = (rank + size - 1) % size;
  upwash_receipt what = {-7, -7, 0};
  int found = 0;
  while (!found) WORKS(job, upwash_probe(world, UPWASH_ANY_SOURCE, 1, &found, &what));
  CHECK(job, what.source == before && what.tag == 1 && what.bytes == length_of(before, 1));
  for (int tag = 2; tag >= 0; --tag) { /* in another order than they were sent */
    upwash_request* received = NULL;
    WORKS(job, upwash_receive(world, tag == 2 ? UPWASH_ANY_SOURCE : before,
                              tag == 0 ? UPWASH_ANY_TAG : tag, in, most_bytes, &what,
                              tag == 1 ? NULL : &received));
    WORKS(job, upwash_wait(&received));
    CHECK(job, what.source == before && what.tag == tag && what.bytes == length_of(before, tag));
    for (size_t i = 0; i < what.bytes; ++i) CHECK(job, in[i] == byte_of(before, tag, i));
  }
  WORKS(job, upwash_wait_all(3, sent));
  /* Too long for its receive: an error of the wait, and nothing is written. */
  upwash_request *small = NULL, *long_one = NULL;
  WORKS(job, upwash_send(world, rank, 9, out, 100, &long_one));
  in[0] = 'x';
  WORKS(job, upwash_receive(world, rank, 9, in, 99, NULL, &small));
  CHECK(job, upwash_wait(&small) == UPWASH_ARGUMENT && in[0] == 'x' && small == NULL);
  CHECK(job, strncmp(upwash_error_text(job), "upwash_wait: ", 13) == 0);
  WORKS(job, upwash_wait(&long_one));
  free(out);
  free(in);
}

struct relay {
  upwash_job* job;
  upwash_stream* stream;
  uint64_t came, bytes;
};
/* An item: how often it goes on, and a tail of any length. */
static void take(const void* item, size_t bytes, void* context) {
  struct relay* on = context;
  unsigned char copy[64];
  memcpy(copy, item, bytes);
  ++on->came;
  on->bytes += bytes;
  if (copy[0] == 0) return;
  --copy[0];
  const int to = (upwash_rank(on->job) + copy[0]) % upwash_size(on->job);
  WORKS(on->job, upwash_stream_push(on->stream, to, copy, bytes));
}

static void streams(upwash_job* job, const upwash_stream_options* options) {
  struct relay on = {job, NULL, 0, 0};
  uint64_t mine[2] = {0, 0}, all[2], came[2], total[2];
  unsigned char item[64] = {0};
  WORKS(job, upwash_stream_open(upwash_world(job), take, &on, options, &on.stream));
  for (int i = 0; i < items; ++i) {
    const size_t bytes = 1 + (size_t)i % 60;
    item[0] = (unsigned char)(i % 4);
    mine[0] += 1 + item[0];
    mine[1] += bytes * (1u + item[0]);
    WORKS(job, upwash_stream_push(on.stream, i % upwash_size(job), item, bytes));
    if (i == items / 2) WORKS(job, upwash_stream_flush(on.stream));
  }
  WORKS(job, upwash_stream_finish(on.stream));
  came[0] = on.came;
  came[1] = on.bytes;
  upwash_team* world = upwash_world(job);
  WORKS(job, upwash_all_reduce(world, mine, all, 2, UPWASH_UINT64, UPWASH_SUM, NULL));
  WORKS(job, upwash_all_reduce(world, came, total, 2, UPWASH_UINT64, UPWASH_SUM, NULL));
  CHECK(job, total[0] == all[0] && total[1] == all[1]);
  WORKS(job, upwash_stream_close(&on.stream));
  CHECK(job, on.stream == NULL);
}

static int body(upwash_job* job, void* context) {
  const upwash_stream_options grid = {2, 1024, 0, 0}, ordered = {0, 0, 1, 0};
  (void)context;
  messages(job);
  streams(job, NULL);
  streams(job, &grid);
  streams(job, &ordered);
  return say_ranks(job, "messages");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
