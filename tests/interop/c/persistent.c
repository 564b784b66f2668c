/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Every collective set up once and started often, blocking and not, with new numbers each time,
   against what it should give. */
#include "check.h"

enum { starts = 6, count = 3, most = 16 };

struct setting {
  upwash_job* job;
  upwash_team* team;
  int rank, size, root;
  int64_t mine[count], blocks[most * count], all[most * count], result[count];
  uint64_t bytes[most], offsets[most], sent_bytes[most], sent_offsets[most];
};

/* What member m contributes to round r as element i of block b. */
static int64_t value(int m, int b, int i, int r) { return 1 + m * 1000 + b * 100 + i * 10 + r; }

static void fill(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) {
    s->mine[i] = value(s->rank, 0, i, r);
    s->result[i] = -1;
    for (int b = 0; b < s->size; ++b) {
      s->blocks[b * count + i] = value(s->rank, b, i, r);
      s->all[b * count + i] = -1;
    }
  }
}

/* Of all members' first blocks. */
static int64_t sum(int size, int i, int r) {
  int64_t made = 0;
  for (int m = 0; m < size; ++m) made += value(m, 0, i, r);
  return made;
}

static void start(struct setting* s, upwash_persistent* of, int r) {
  upwash_request* under_way = NULL;
  if ((r + s->rank) % 2 == 0) {
    WORKS(s->job, upwash_start(of, NULL));
    return;
  }
  WORKS(s->job, upwash_start(of, &under_way));
  WORKS(s->job, upwash_wait(&under_way));
}

typedef void look(struct setting* s, int r);

static void often(struct setting* s, int status, upwash_persistent* of, look* expect) {
  CHECK(s->job, status == UPWASH_OK && of != NULL);
  for (int r = 0; r < starts; ++r) {
    fill(s, r);
    start(s, of, r);
    expect(s, r);
  }
  WORKS(s->job, upwash_persistent_free(&of));
  CHECK(s->job, of == NULL);
}

static void all_of_others(struct setting* s, int r) {
  for (int k = 0; k < s->size * count; ++k) {
    CHECK(s->job, s->all[k] == value(k / count, 0, k % count, r));
  }
}
static void all_at_root(struct setting* s, int r) {
  if (s->rank == s->root) all_of_others(s, r);
}
static void block_of_root(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) CHECK(s->job, s->result[i] == value(s->root, s->rank, i, r));
}
static void mine_of_root(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) CHECK(s->job, s->mine[i] == value(s->root, 0, i, r));
}
static void my_blocks(struct setting* s, int r) {
  for (int k = 0; k < s->size * count; ++k) {
    CHECK(s->job, s->all[k] == value(k / count, s->rank, k % count, r));
  }
}
static void sums(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) CHECK(s->job, s->result[i] == sum(s->size, i, r));
}
static void sums_at_root(struct setting* s, int r) {
  if (s->rank == s->root) sums(s, r);
}
static void sums_of_my_block(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) {
    int64_t expected = 0;
    for (int m = 0; m < s->size; ++m) expected += value(m, s->rank, i, r);
    CHECK(s->job, s->result[i] == expected);
  }
}
static void sums_to_me(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) CHECK(s->job, s->result[i] == sum(s->rank + 1, i, r));
}
static void sums_before_me(struct setting* s, int r) {
  for (int i = 0; i < count; ++i) {
    CHECK(s->job, s->result[i] == (s->rank == 0 ? -1 : sum(s->rank, i, r)));
  }
}
static void nothing(struct setting* s, int r) { (void)s, (void)r; }

static void add(const void* left, const void* right, void* into, size_t n, void* context) {
  const int64_t *l = left, *r = right;
  int64_t* to = into;
  for (size_t i = 0; i < n; ++i) to[i] = l[i] + r[i];
  (void)context;
}

static void equal_blocks(struct setting* s) {
  upwash_persistent* of = NULL;
  const size_t bytes = sizeof s->mine;
  int status = upwash_barrier_prepare(s->team, &of);
  often(s, status, of, nothing);
  status = upwash_broadcast_prepare(s->team, s->root, s->mine, bytes, &of);
  often(s, status, of, mine_of_root);
  status = upwash_gather_prepare(s->team, s->root, s->mine, s->all, bytes, &of);
  often(s, status, of, all_at_root);
  status = upwash_scatter_prepare(s->team, s->root, s->blocks, s->result, bytes, &of);
  often(s, status, of, block_of_root);
  status = upwash_all_gather_prepare(s->team, s->mine, s->all, bytes, &of);
  often(s, status, of, all_of_others);
  status = upwash_all_to_all_prepare(s->team, s->blocks, s->all, bytes, &of);
  often(s, status, of, my_blocks);
}

static void uneven_blocks(struct setting* s) {
  upwash_persistent* of = NULL;
  const size_t bytes = sizeof s->mine;
  for (int b = 0; b < s->size; ++b) {
    s->bytes[b] = s->sent_bytes[b] = bytes;
    s->offsets[b] = s->sent_offsets[b] = (uint64_t)b * bytes;
  }
  int status =
      upwash_all_gather_v_prepare(s->team, s->mine, bytes, s->all, s->bytes, s->offsets, &of);
  often(s, status, of, all_of_others);
  status =
      upwash_gather_v_prepare(s->team, s->root, s->mine, bytes, s->all, s->bytes, s->offsets, &of);
  often(s, status, of, all_at_root);
  status = upwash_scatter_v_prepare(s->team, s->root, s->blocks, s->bytes, s->offsets, s->result,
                                    bytes, &of);
  often(s, status, of, block_of_root);
  status = upwash_all_to_all_v_prepare(s->team, s->blocks, s->sent_bytes, s->sent_offsets, s->all,
                                       s->bytes, s->offsets, &of);
  often(s, status, of, my_blocks);
}

static void reductions(struct setting* s) {
  const upwash_own_operator own = {add, NULL, sizeof(int64_t), 0};
  upwash_persistent* of = NULL;
  int status = upwash_reduce_prepare(s->team, s->root, s->mine, s->result, count, UPWASH_INT64,
                                     UPWASH_SUM, &of);
  often(s, status, of, sums_at_root);
  status =
      upwash_all_reduce_prepare(s->team, s->mine, s->result, count, UPWASH_INT64, UPWASH_SUM, &of);
  often(s, status, of, sums);
  status = upwash_reduce_scatter_prepare(s->team, s->blocks, s->result, count, UPWASH_INT64,
                                         UPWASH_SUM, &of);
  often(s, status, of, sums_of_my_block);
  status = upwash_scan_prepare(s->team, s->mine, s->result, count, UPWASH_INT64, UPWASH_SUM, &of);
  often(s, status, of, sums_to_me);
  status = upwash_exclusive_scan_prepare(s->team, s->mine, s->result, count, UPWASH_INT64,
                                         UPWASH_SUM, &of);
  often(s, status, of, sums_before_me);
  status = upwash_reduce_by_prepare(s->team, s->root, s->mine, s->result, count, &own, &of);
  often(s, status, of, sums_at_root);
  status = upwash_all_reduce_by_prepare(s->team, s->mine, s->result, count, &own, &of);
  often(s, status, of, sums);
  status = upwash_scan_by_prepare(s->team, s->mine, s->result, count, &own, &of);
  often(s, status, of, sums_to_me);
}

static void refused(struct setting* s) {
  upwash_persistent *of = NULL, *none = NULL;
  CHECK(s->job, upwash_barrier_prepare(s->team, NULL) == UPWASH_ARGUMENT);
  CHECK(s->job, strstr(upwash_error_text(s->job), "made is null: give its address") != NULL);
  CHECK(s->job, upwash_broadcast_prepare(s->team, s->size, s->mine, 8, &of) == UPWASH_ARGUMENT);
  CHECK(s->job, of == NULL && strstr(upwash_error_text(s->job), "root") != NULL);
  CHECK(s->job, upwash_barrier_prepare(NULL, &of) == UPWASH_ARGUMENT);
  CHECK(s->job, upwash_start(NULL, NULL) == UPWASH_ARGUMENT);
  CHECK(s->job, upwash_persistent_free(&none) == UPWASH_ARGUMENT);
  CHECK(s->job, upwash_persistent_free(NULL) == UPWASH_ARGUMENT);
}

static void on_team(upwash_job* job, upwash_team* team) {
  struct setting s;
  memset(&s, 0, sizeof s);
  s.job = job;
  s.team = team;
  s.rank = upwash_team_rank(team);
  s.size = upwash_team_size(team);
  CHECK(job, s.size <= most);
  for (s.root = 0; s.root < s.size; s.root += 2) {
    equal_blocks(&s);
    uneven_blocks(&s);
    reductions(&s);
  }
  s.root = 0;
  refused(&s);
}

static int body(upwash_job* job, void* context) {
  upwash_team* part = NULL;
  (void)context;
  on_team(job, upwash_world(job));
  WORKS(job, upwash_team_split(upwash_world(job), upwash_rank(job) % 2, -upwash_rank(job), &part));
  on_team(job, part);
  WORKS(job, upwash_team_free(&part));
  return say_ranks(job, "persistent");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
