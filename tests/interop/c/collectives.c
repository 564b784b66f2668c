/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   All collectives on random teams with random lengths, blocking and not, in place and not, against
   what they should give. */
#include "check.h"

enum { rounds = 120, most_under_way = 4 };

/* What member m contributes as element i of block b. */
static int32_t value(int m, int b, size_t i, uint32_t salt) {
  return (int32_t)(salt % 1000 + 31u * (unsigned)m + 7u * (unsigned)b + 3u * (unsigned)i);
}

/* Of matrices ((a, b), (0, 1)) as (a, b): products do not commute. */
static void combine_maps(const void* left, const void* right, void* into, size_t count,
                         void* context) {
  const uint64_t *l = left, *r = right;
  uint64_t* to = into;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t a = l[2 * i] * r[2 * i], b = l[2 * i] * r[2 * i + 1] + l[2 * i + 1];
    to[2 * i] = a;
    to[2 * i + 1] = b;
  }
  (void)context;
}

struct one_call {
  upwash_job* job;
  upwash_team* team;
  int rank, size, root;
  size_t count; /* elements a block */
  int same;     /* in place */
  uint32_t salt;
  upwash_request** request;
};

static int32_t* blocks(const struct one_call* c, int number) {
  return malloc(sizeof(int32_t) * (c->count * (size_t)number + 1));
}
static void fill(const struct one_call* c, int32_t* at, int m, int b) {
  for (size_t i = 0; i < c->count; ++i) at[i] = value(m, b, i, c->salt);
}
static void expect(const struct one_call* c, const int32_t* at, int m, int b) {
  for (size_t i = 0; i < c->count; ++i) CHECK(c->job, at[i] == value(m, b, i, c->salt));
}
static void end(const struct one_call* c, int status) {
  CHECK(c->job, status == UPWASH_OK);
  if (c->request == NULL) return;
  int done = 0;
  while (!done) WORKS(c->job, upwash_test(c->request, &done));
  CHECK(c->job, *c->request == NULL);
}

static void gathers(const struct one_call* c) {
  const size_t bytes = c->count * sizeof(int32_t);
  int32_t *all = blocks(c, c->size), *mine = blocks(c, 1);
  int32_t* own = all + c->count * (size_t)c->rank;
  fill(c, mine, c->rank, 0);
  if (c->same) fill(c, own, c->rank, 0);
  end(c, upwash_all_gather(c->team, c->same ? all : mine, all, bytes, c->request));
  for (int m = 0; m < c->size; ++m) expect(c, all + c->count * (size_t)m, m, 0);

  memset(all, 0, bytes * (size_t)c->size);
  int32_t* in_place = c->rank == c->root ? all : mine;
  if (c->same && c->rank == c->root) fill(c, own, c->rank, 0);
  end(c, upwash_gather(c->team, c->root, c->same ? in_place : mine,
                       c->same              ? in_place
                       : c->rank == c->root ? all
                                            : NULL,
                       bytes, c->request));
  if (c->rank == c->root) {
    for (int m = 0; m < c->size; ++m) expect(c, all + c->count * (size_t)m, m, 0);
  }

  for (int m = 0; m < c->size; ++m) fill(c, all + c->count * (size_t)m, c->root, m);
  memset(mine, 0, bytes);
  end(c, upwash_scatter(c->team, c->root,
                        c->same              ? in_place
                        : c->rank == c->root ? all
                                             : NULL,
                        c->same ? in_place : mine, bytes, c->request));
  if (!c->same || c->rank != c->root) expect(c, mine, c->root, c->rank);

  if (c->rank == c->root) fill(c, mine, c->root, 5);
  end(c, upwash_broadcast(c->team, c->root, mine, bytes, c->request));
  expect(c, mine, c->root, 5);
  free(all);
  free(mine);
}

static void exchanges(const struct one_call* c) {
  const size_t bytes = c->count * sizeof(int32_t);
  int32_t *out = blocks(c, c->size), *in = blocks(c, c->size);
  for (int m = 0; m < c->size; ++m) {
    fill(c, (c->same ? in : out) + c->count * (size_t)m, c->rank, m);
  }
  end(c, upwash_all_to_all(c->team, c->same ? in : out, in, bytes, c->request));
  for (int m = 0; m < c->size; ++m) expect(c, in + c->count * (size_t)m, m, c->rank);
  free(out);
  free(in);
}

static void reductions(const struct one_call* c) {
  int32_t *mine = blocks(c, c->size), *result = blocks(c, c->size);
  for (int m = 0; m < c->size; ++m) fill(c, mine + c->count * (size_t)m, c->rank, m);
  int32_t* out = c->same ? mine : result;
  end(c, upwash_reduce_scatter(c->team, mine, out, c->count, UPWASH_INT32, UPWASH_SUM, c->request));
  for (size_t i = 0; i < c->count; ++i) {
    int32_t sum = 0;
    for (int m = 0; m < c->size; ++m) sum += value(m, c->rank, i, c->salt);
    CHECK(c->job, out[(c->same ? c->count * (size_t)c->rank : 0) + i] == sum);
  }
  fill(c, mine, c->rank, 0);
  end(c, upwash_all_reduce(c->team, mine, out, c->count, UPWASH_INT32, UPWASH_MOST, c->request));
  expect(c, out, c->size - 1, 0);
  fill(c, mine, c->rank, 0);
  end(c, upwash_reduce(c->team, c->root, mine, c->same || c->rank == c->root ? out : NULL, c->count,
                       UPWASH_INT32, UPWASH_LEAST, c->request));
  if (c->rank == c->root) expect(c, out, 0, 0);
  fill(c, mine, c->rank, 0);
  end(c, upwash_scan(c->team, mine, out, c->count, UPWASH_INT32, UPWASH_BIT_XOR, c->request));
  for (size_t i = 0; i < c->count; ++i) {
    int32_t bits = 0;
    for (int m = 0; m <= c->rank; ++m) bits ^= value(m, 0, i, c->salt);
    CHECK(c->job, out[i] == bits);
  }
  fill(c, mine, c->rank, 0);
  end(c,
      upwash_exclusive_scan(c->team, mine, out, c->count, UPWASH_INT32, UPWASH_MOST, c->request));
  if (c->rank > 0) expect(c, out, c->rank - 1, 0);
  free(mine);
  free(result);
}

static void own_operators(const struct one_call* c) {
  const upwash_own_operator maps = {combine_maps, NULL, 2 * sizeof(uint64_t), 0};
  uint64_t* mine = malloc(sizeof(uint64_t) * (2 * c->count + 1));
  uint64_t* out = malloc(sizeof(uint64_t) * (2 * c->count + 1));
  uint64_t* expected = malloc(sizeof(uint64_t) * (2 * c->count + 1));
  for (int kind = 0; kind < 3; ++kind) {
    for (size_t i = 0; i < c->count; ++i) {
      expected[2 * i] = 1;
      expected[2 * i + 1] = 0;
      const int last = kind == 2 ? c->rank : c->size - 1;
      for (int m = 0; m <= last; ++m) {
        const uint64_t one[2] = {(uint64_t)value(m, 1, i, c->salt), (uint64_t)m + 1};
        combine_maps(expected + 2 * i, one, expected + 2 * i, 1, NULL);
      }
      mine[2 * i] = (uint64_t)value(c->rank, 1, i, c->salt);
      mine[2 * i + 1] = (uint64_t)c->rank + 1;
    }
    uint64_t* to = c->same ? mine : out;
    if (kind == 0) end(c, upwash_all_reduce_by(c->team, mine, to, c->count, &maps, c->request));
    if (kind == 1)
      end(c, upwash_reduce_by(c->team, c->root, mine, to, c->count, &maps, c->request));
    if (kind == 2) end(c, upwash_scan_by(c->team, mine, to, c->count, &maps, c->request));
    if (kind == 1 && c->rank != c->root) continue;
    CHECK(c->job, memcmp(to, expected, 2 * c->count * sizeof(uint64_t)) == 0);
  }
  free(mine);
  free(out);
  free(expected);
}

/* Block m of the vector of all has (m * 5 + salt) % (count + 1) elements, behind a gap. */
static void uneven(const struct one_call* c) {
  const size_t n = (size_t)c->size;
  uint64_t *bytes = malloc(4 * n * sizeof(uint64_t)), *offsets = bytes + n;
  uint64_t *to_me = bytes + 2 * n, *to_me_at = bytes + 3 * n;
  uint64_t end_of_all = 0;
  for (size_t m = 0; m < n; ++m) {
    bytes[m] = (m * 5 + c->salt) % (c->count + 1) * sizeof(int32_t);
    offsets[m] = end_of_all + sizeof(int32_t);
    end_of_all = offsets[m] + bytes[m];
    to_me[m] = 0;
  }
  const size_t own = bytes[c->rank];
  int32_t *all = calloc(1, end_of_all + 4), *mine = blocks(c, 1), *received;
  fill(c, mine, c->rank, 0);
  end(c, upwash_all_gather_v(c->team, mine, own, all, bytes, offsets, c->request));
  for (int m = 0; m < c->size; ++m) {
    CHECK(c->job, all[offsets[m] / 4 - 1] == 0);
    for (size_t i = 0; i < bytes[m] / 4; ++i) {
      CHECK(c->job, all[offsets[m] / 4 + i] == value(m, 0, i, c->salt));
    }
  }
  memset(all, 0, end_of_all);
  const int at_root = c->rank == c->root;
  end(c, upwash_gather_v(c->team, c->root, mine, own, at_root ? all : NULL, at_root ? bytes : NULL,
                         at_root ? offsets : NULL, c->request));
  memset(mine, 0, own);
  end(c, upwash_scatter_v(c->team, c->root, at_root ? all : NULL, at_root ? bytes : NULL,
                          at_root ? offsets : NULL, mine, own, c->request));
  for (size_t i = 0; i < own / 4; ++i) CHECK(c->job, mine[i] == value(c->rank, 0, i, c->salt));

  /* Everybody sends block m to m, so all that comes has the own length. */
  for (size_t m = 0; m < n; ++m) {
    to_me[m] = own;
    to_me_at[m] = m * own;
    for (size_t i = 0; i < bytes[m] / 4; ++i) {
      all[offsets[m] / 4 + i] = value(c->rank, (int)m, i, c->salt);
    }
  }
  received = malloc(n * own + 1);
  end(c, upwash_all_to_all_v(c->team, all, bytes, offsets, received, to_me, to_me_at, c->request));
  for (int m = 0; m < c->size; ++m) {
    for (size_t i = 0; i < own / 4; ++i) {
      CHECK(c->job, received[(size_t)m * (own / 4) + i] == value(m, c->rank, i, c->salt));
    }
  }
  free(received);
  free(mine);
  free(all);
  free(bytes);
}

/* Several under way at once, waited for together. */
static void together(upwash_job* job, upwash_team* team) {
  upwash_request* under_way[most_under_way];
  double mine[most_under_way], sums[most_under_way];
  const int size = upwash_team_size(team);
  for (int i = 0; i < most_under_way; ++i) {
    mine[i] = upwash_team_rank(team) + i;
    WORKS(job,
          upwash_all_reduce(team, &mine[i], &sums[i], 1, UPWASH_DOUBLE, UPWASH_SUM, &under_way[i]));
  }
  WORKS(job, upwash_wait_all(most_under_way, under_way));
  for (int i = 0; i < most_under_way; ++i) {
    CHECK(job, under_way[i] == NULL);
    CHECK(job, sums[i] == size * (size - 1) / 2.0 + size * i);
  }
}

static int body(upwash_job* job, void* context) {
  uint64_t state = 11;
  upwash_team *world = upwash_world(job), *parts[2];
  (void)context;
  WORKS(job, upwash_team_split(world, upwash_rank(job) % 2, -upwash_rank(job), &parts[0]));
  WORKS(job, upwash_team_node(world, &parts[1]));
  for (int round = 0; round < rounds; ++round) {
    upwash_request* request = NULL;
    const uint32_t which = drawn(&state) % 3, form = drawn(&state), length = drawn(&state);
    upwash_team* team = which == 0 ? world : parts[which - 1];
    const struct one_call c = {job,
                               team,
                               upwash_team_rank(team),
                               upwash_team_size(team),
                               (int)(drawn(&state) % 7) % upwash_team_size(team),
                               length % 3 == 0   ? length % 5
                               : length % 3 == 1 ? length % 300
                                                 : length % 9000,
                               (int)(form % 2),
                               drawn(&state),
                               form % 4 < 2 ? NULL : &request};
    gathers(&c);
    exchanges(&c);
    reductions(&c);
    own_operators(&c);
    uneven(&c);
    together(job, team);
    WORKS(job, upwash_barrier(world, NULL));
  }
  WORKS(job, upwash_team_free(&parts[0]));
  WORKS(job, upwash_team_free(&parts[1]));
  CHECK(job, parts[0] == NULL);
  return say_ranks(job, "collectives");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
