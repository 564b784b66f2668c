/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Collectives of neighbours on graphs that all ranks draw alike, on grids and within a distance,
   blocking, by request and persistent, against what they should give. */
#include "check.h"

enum { most = 64, count = 2 };

struct graph {
  upwash_job* job;
  upwash_neighborhood* neighbors;
  int rank, in, out;
  const int *sources, *destinations;
};

/* What member m sends as element i of its k-th edge to member d in round r. */
static int64_t value(int m, int d, int k, int i, int r) {
  return 7 + m * 100000 + d * 1000 + k * 100 + i * 10 + r;
}

/* The how-manieth edge between the same two this is. */
static int which(const int* members, int edge) {
  int before = 0;
  for (int e = 0; e < edge; ++e) before += members[e] == members[edge];
  return before;
}

static void finish(upwash_job* job, int status, upwash_request** request) {
  CHECK(job, status == UPWASH_OK);
  if (request != NULL) WORKS(job, upwash_wait(request));
}

static void expect(const struct graph* g, const int64_t* at, int of_edges, int r) {
  for (int e = 0; e < g->in; ++e) {
    const int m = g->sources[e];
    for (int i = 0; i < count; ++i) {
      const int64_t sent =
          of_edges ? value(m, g->rank, which(g->sources, e), i, r) : value(m, 0, 0, i, r);
      CHECK(g->job, at[e * count + i] == sent);
    }
  }
}

static void fill(const struct graph* g, int64_t* mine, int64_t* blocks, int r) {
  for (int i = 0; i < count; ++i) mine[i] = value(g->rank, 0, 0, i, r);
  for (int e = 0; e < g->out; ++e) {
    for (int i = 0; i < count; ++i) {
      blocks[e * count + i] = value(g->rank, g->destinations[e], which(g->destinations, e), i, r);
    }
  }
}

static void equal(const struct graph* g, upwash_request** request, int r) {
  int64_t mine[count], blocks[most * count], all[most * count];
  fill(g, mine, blocks, r);
  memset(all, 0, sizeof all);
  finish(g->job, upwash_neighbor_all_gather(g->neighbors, mine, all, sizeof mine, request),
         request);
  expect(g, all, 0, r);
  memset(all, 0, sizeof all);
  finish(g->job, upwash_neighbor_all_to_all(g->neighbors, blocks, all, sizeof mine, request),
         request);
  expect(g, all, 1, r);
}

/* Blocks in reverse order, each as long as the ranks say. */
static void uneven(const struct graph* g, upwash_request** request) {
  unsigned char out[most * 8], in[most * 8];
  uint64_t sent[most], sent_at[most], came[most], came_at[most], end = 0;
  for (int e = g->out - 1; e >= 0; --e) {
    sent[e] = (uint64_t)(g->rank + 2 * g->destinations[e]) % 8;
    sent_at[e] = end;
    memset(out + end, g->rank * 8 + which(g->destinations, e), sent[e]);
    end += sent[e];
  }
  end = 0;
  for (int e = g->in - 1; e >= 0; --e) {
    came[e] = (uint64_t)(g->sources[e] + 2 * g->rank) % 8;
    came_at[e] = end;
    end += came[e];
  }
  memset(in, 255, sizeof in);
  finish(g->job,
         upwash_neighbor_all_to_all_v(g->neighbors, out, sent, sent_at, in, came, came_at, request),
         request);
  for (int e = 0; e < g->in; ++e) {
    for (uint64_t i = 0; i < came[e]; ++i) {
      CHECK(g->job, in[came_at[e] + i] == g->sources[e] * 8 + which(g->sources, e));
    }
  }
  CHECK(g->job, end == sizeof in || in[end] == 255);

  memset(out, g->rank + 1, sizeof out);
  end = 0;
  for (int e = 0; e < g->in; ++e) {
    came[e] = (uint64_t)g->sources[e] % 5;
    came_at[e] = end;
    end += came[e];
  }
  finish(g->job,
         upwash_neighbor_all_gather_v(g->neighbors, out, (size_t)(g->rank % 5), in, came, came_at,
                                      request),
         request);
  for (int e = 0; e < g->in; ++e) {
    for (uint64_t i = 0; i < came[e]; ++i) {
      CHECK(g->job, in[came_at[e] + i] == g->sources[e] + 1);
    }
  }
}

static void often(const struct graph* g) {
  int64_t mine[count], blocks[most * count], all[most * count];
  uint64_t sent[most], sent_at[most], came[most], came_at[most];
  upwash_persistent* of[4];
  for (int e = 0; e < most; ++e) {
    sent[e] = came[e] = sizeof mine;
    sent_at[e] = came_at[e] = (uint64_t)e * sizeof mine;
  }
  upwash_neighborhood* on = g->neighbors;
  WORKS(g->job, upwash_neighbor_all_gather_prepare(on, mine, all, sizeof mine, &of[0]));
  WORKS(g->job, upwash_neighbor_all_to_all_prepare(on, blocks, all, sizeof mine, &of[1]));
  WORKS(g->job,
        upwash_neighbor_all_gather_v_prepare(on, mine, sizeof mine, all, came, came_at, &of[2]));
  WORKS(g->job, upwash_neighbor_all_to_all_v_prepare(on, blocks, sent, sent_at, all, came, came_at,
                                                     &of[3]));
  for (int r = 0; r < 8; ++r) {
    upwash_request* under_way = NULL;
    fill(g, mine, blocks, r);
    memset(all, 0, sizeof all);
    WORKS(g->job, upwash_start(of[r % 4], r < 4 ? &under_way : NULL));
    WORKS(g->job, upwash_wait(&under_way));
    expect(g, all, r % 2, r);
  }
  for (int k = 0; k < 4; ++k) WORKS(g->job, upwash_persistent_free(&of[k]));
}

static void all_calls(upwash_job* job, upwash_neighborhood* neighbors, upwash_team* team) {
  struct graph g = {job, neighbors, upwash_team_rank(team), 0, 0, NULL, NULL};
  upwash_request* request = NULL;
  WORKS(job, upwash_sources(neighbors, &g.sources, &g.in));
  WORKS(job, upwash_destinations(neighbors, &g.destinations, &g.out));
  CHECK(job, g.in <= most && g.out <= most);
  equal(&g, NULL, 0);
  equal(&g, &request, 1);
  uneven(&g, NULL);
  uneven(&g, &request);
  often(&g);
  WORKS(job, upwash_neighborhood_free(&neighbors));
  CHECK(job, neighbors == NULL);
}

/* Edges drawn alike by all: each names those that are its own, in the order in which they are
 * drawn. */
static void drawn_graph(upwash_job* job, upwash_team* team, uint64_t seed) {
  const int size = upwash_team_size(team), rank = upwash_team_rank(team);
  int sources[most], destinations[most], in = 0, out = 0;
  upwash_neighborhood* made = NULL;
  for (int e = 0; e < 3 * size; ++e) {
    const int from = (int)(drawn(&seed) % (uint32_t)size),
              to = (int)(drawn(&seed) % (uint32_t)size);
    if (from == rank && out < most) destinations[out++] = to;
    if (to == rank && in < most) sources[in++] = from;
  }
  WORKS(job, upwash_neighborhood_graph(team, sources, in, destinations, out, &made));
  all_calls(job, made, team);
}

static void grids(upwash_job* job, upwash_team* team) {
  const int size = upwash_team_size(team), rank = upwash_team_rank(team);
  const int line[2] = {1, size}, ring[2] = {0, 1};
  const int* members = NULL;
  int number = 0;
  upwash_neighborhood* made = NULL;
  WORKS(job, upwash_neighborhood_cartesian(team, 2, line, NULL, &made));
  WORKS(job, upwash_sources(made, &members, &number));
  CHECK(job, number == (rank > 0) + (rank < size - 1));
  if (rank > 0) CHECK(job, members[0] == rank - 1);
  all_calls(job, made, team);
  WORKS(job, upwash_neighborhood_cartesian(team, 2, line, ring, &made));
  WORKS(job, upwash_destinations(made, &members, &number));
  if (size > 2) CHECK(job, number == 2 && members[1] == (rank + 1) % size);
  all_calls(job, made, team);
  WORKS(job, upwash_neighborhood_moore(team, 2, line, NULL, 2, &made));
  WORKS(job, upwash_sources(made, &members, &number));
  int expected = 0;
  for (int m = 0; m < size; ++m) expected += m != rank && m >= rank - 2 && m <= rank + 2;
  CHECK(job, number == expected);
  all_calls(job, made, team);
}

static void refused(upwash_job* job, upwash_team* team) {
  const int size = upwash_team_size(team), wrong[1] = {size + 1},
            self[1] = {upwash_team_rank(team)};
  const int* members = NULL;
  upwash_neighborhood *made = NULL, *none = NULL;
  int64_t word = 0;
  CHECK(job, upwash_neighborhood_graph(team, wrong, -1, NULL, 0, &made) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "source_count is -1") != NULL);
  CHECK(job, upwash_neighborhood_graph(team, NULL, 1, NULL, 0, &made) == UPWASH_ARGUMENT);
  CHECK(job, upwash_neighborhood_cartesian(team, 0, wrong, NULL, &made) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "dimensions is 0") != NULL);
  CHECK(job, upwash_neighborhood_cartesian(team, 1, NULL, NULL, &made) == UPWASH_ARGUMENT);
  CHECK(job, upwash_neighborhood_cartesian(team, 1, wrong, NULL, &made) == UPWASH_ARGUMENT);
  CHECK(job,
        made == NULL && strstr(upwash_error_text(job), "upwash_neighborhood_cartesian") != NULL);
  /* All refuse together; the same calls go on. */
  CHECK(job, upwash_neighborhood_graph(team, wrong, 1, NULL, 0, &made) == UPWASH_ARGUMENT);
  WORKS(job, upwash_neighborhood_graph(team, self, 1, self, 1, &made));
  CHECK(job, upwash_neighbor_all_gather(made, NULL, &word, 8, NULL) == UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "mine is null") != NULL);
  CHECK(job, upwash_neighbor_all_to_all_v(made, &word, NULL, NULL, &word, NULL, NULL, NULL) ==
                 UPWASH_ARGUMENT);
  CHECK(job, strstr(upwash_error_text(job), "sent_bytes is null") != NULL);
  CHECK(job, upwash_sources(made, &members, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_sources(NULL, &members, NULL) == UPWASH_ARGUMENT);
  CHECK(job, upwash_neighborhood_free(&none) == UPWASH_ARGUMENT);
  WORKS(job, upwash_neighborhood_free(&made));
}

static int body(upwash_job* job, void* context) {
  upwash_team *world = upwash_world(job), *part = NULL;
  (void)context;
  for (uint64_t seed = 1; seed <= 4; ++seed) drawn_graph(job, world, seed);
  grids(job, world);
  refused(job, world);
  WORKS(job, upwash_team_split(world, upwash_rank(job) % 2, -upwash_rank(job), &part));
  drawn_graph(job, part, 5);
  grids(job, part);
  WORKS(job, upwash_team_free(&part));
  return say_ranks(job, "neighbors");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
