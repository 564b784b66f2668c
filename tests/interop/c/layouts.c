/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Runs by strides and by lists: put, fetched, accumulated and sent, against copies made by hand. */
#include <complex.h>

#include "check.h"

enum { rows = 6, columns = 7, room = 64 };

struct place {
  upwash_job* job;
  upwash_team* team;
  upwash_region* region;
  double* here; /* my part */
  int rank, next, before;
};

/* A tile of 3 rows and 2 columns, out of a matrix here into one of `room` columns there. */
static const upwash_strided tile = {
    2 * sizeof(double), 1, {{3, columns * sizeof(double), 8 * sizeof(double)}}};
/* Two pieces, which change places. */
static const upwash_segment pieces[2] = {{8, 32, 16}, {40, 0, 24}};

static double element(int rank, int k) { return rank * 1000 + k; }

static void fill(const struct place* p, double* matrix) {
  for (int k = 0; k < rows * columns; ++k) matrix[k] = element(p->rank, k);
}

/* What a member's part holds after its neighbour put the tile there; else -1. */
static double of_tile(int from, int k) {
  const int row = k / 8, column = k % 8;
  return row < 3 && column < 2 ? element(from, row * columns + column) : -1;
}
/* The same of the pieces. */
static double of_pieces(int from, int k) {
  if (k == 4 || k == 5) return element(from, k - 4 + 1);
  return k < 3 ? element(from, k + 5) : -1;
}

static void clear(const struct place* p) {
  WORKS(p->job, upwash_barrier(p->team, NULL));
  for (int k = 0; k < room; ++k) p->here[k] = -1;
  WORKS(p->job, upwash_barrier(p->team, NULL));
}

typedef double expected(int from, int k);

static void puts_and_gets(const struct place* p, const upwash_layout* laid, expected* of) {
  double matrix[rows * columns], back[rows * columns];
  upwash_request* request = NULL;
  fill(p, matrix);
  for (int way = 0; way < 3; ++way) {
    clear(p);
    if (way == 0) WORKS(p->job, upwash_put_laid(p->region, p->next, 0, matrix, laid, NULL));
    if (way == 1) {
      WORKS(p->job, upwash_put_laid(p->region, p->next, 0, matrix, laid, &request));
      WORKS(p->job, upwash_wait(&request));
    }
    if (way == 2) {
      WORKS(p->job, upwash_put_laid_later(p->region, p->next, 0, matrix, laid));
      WORKS(p->job, upwash_quiet(p->job));
    }
    WORKS(p->job, upwash_barrier(p->team, NULL));
    for (int k = 0; k < room; ++k) CHECK(p->job, p->here[k] == of(p->before, k));
    memset(back, 0, sizeof back);
    if (way < 2) {
      WORKS(p->job, upwash_get_laid(p->region, p->next, 0, back, laid, way == 0 ? NULL : &request));
      WORKS(p->job, upwash_wait(&request));
    } else {
      WORKS(p->job, upwash_get_laid_later(p->region, p->next, 0, back, laid));
      WORKS(p->job, upwash_quiet(p->job));
    }
    int there = 0;
    for (int k = 0; k < rows * columns; ++k) {
      CHECK(p->job, back[k] == 0 || back[k] == matrix[k]);
      there += back[k] != 0;
    }
    /* Element 0 of rank 0 is a zero of its own. */
    CHECK(p->job, there == (of == of_tile ? 6 : 5) - (of == of_tile && p->rank == 0));
  }
}

/* Everybody adds to member 0: what comes out is what all have added. */
static void accumulates(const struct place* p) {
  const int size = upwash_team_size(p->team);
  const upwash_layout by_tile = {&tile, NULL, 0};
  const double scale = 2, x[3] = {p->rank, 1, 0.5};
  double matrix[rows * columns], sum_of_ranks = size * (size - 1) / 2.0;
  upwash_request* request = NULL;
  fill(p, matrix);
  clear(p);
  WORKS(p->job, upwash_accumulate(p->region, 0, 8, x, 3, NULL, UPWASH_DOUBLE, NULL, &request));
  WORKS(p->job, upwash_wait(&request));
  WORKS(p->job, upwash_accumulate_later(p->region, 0, 8, x, 3, NULL, UPWASH_DOUBLE, &scale));
  WORKS(p->job, upwash_quiet(p->job));
  WORKS(p->job, upwash_barrier(p->team, NULL));
  if (p->rank == 0) {
    CHECK(p->job, p->here[1] == -1 + 3 * sum_of_ranks && p->here[2] == -1 + 3 * size);
    CHECK(p->job, p->here[3] == -1 + 1.5 * size && p->here[0] == -1 && p->here[4] == -1);
  }
  clear(p);
  WORKS(p->job,
        upwash_accumulate(p->region, 0, 0, matrix, 0, &by_tile, UPWASH_DOUBLE, &scale, NULL));
  WORKS(p->job, upwash_barrier(p->team, NULL));
  for (int k = 0; p->rank == 0 && k < room; ++k) {
    double expect = -1;
    for (int m = 0; m < size; ++m) expect += of_tile(0, k) == -1 ? 0 : 2 * of_tile(m, k);
    CHECK(p->job, p->here[k] == expect);
  }
}

/* Each type that can be added. */
static void types(const struct place* p) {
  const int size = upwash_team_size(p->team);
  const int32_t i32 = 3, minus = -1;
  const int64_t i64 = -5;
  const float f32 = 0.5F;
  const float complex c32 = 1 + 2 * I;
  const double complex c64 = 3 - 1 * I, turn = I;
  WORKS(p->job, upwash_barrier(p->team, NULL));
  memset(p->here, 0, room * sizeof(double));
  WORKS(p->job, upwash_barrier(p->team, NULL));
  WORKS(p->job, upwash_accumulate(p->region, 0, 0, &i32, 1, NULL, UPWASH_INT32, &minus, NULL));
  WORKS(p->job, upwash_accumulate(p->region, 0, 8, &i64, 1, NULL, UPWASH_INT64, NULL, NULL));
  WORKS(p->job, upwash_accumulate(p->region, 0, 16, &f32, 1, NULL, UPWASH_FLOAT, NULL, NULL));
  WORKS(p->job,
        upwash_accumulate(p->region, 0, 24, &c32, 1, NULL, UPWASH_FLOAT_COMPLEX, NULL, NULL));
  WORKS(p->job,
        upwash_accumulate(p->region, 0, 32, &c64, 1, NULL, UPWASH_DOUBLE_COMPLEX, &turn, NULL));
  WORKS(p->job, upwash_barrier(p->team, NULL));
  if (p->rank != 0) return;
  const char* at = (const char*)p->here;
  int32_t int_32;
  int64_t int_64;
  float float_32, complex_32[2];
  double complex_64[2];
  memcpy(&int_32, at, sizeof int_32);
  memcpy(&int_64, at + 8, sizeof int_64);
  memcpy(&float_32, at + 16, sizeof float_32);
  memcpy(complex_32, at + 24, sizeof complex_32);
  memcpy(complex_64, at + 32, sizeof complex_64);
  CHECK(p->job, int_32 == -3 * size && int_64 == -5 * size && float_32 == 0.5F * (float)size);
  CHECK(p->job, complex_32[0] == (float)size && complex_32[1] == 2 * (float)size);
  CHECK(p->job, complex_64[0] == size && complex_64[1] == 3 * size);
}

/* Sent by one layout, received by another, or by none. */
static void messages(const struct place* p) {
  const upwash_layout by_tile = {&tile, NULL, 0}, by_pieces = {NULL, pieces, 2};
  double matrix[rows * columns], into[rows * columns];
  upwash_request *sends = NULL, *receives = NULL;
  upwash_receipt receipt = {0, 0, 0};
  fill(p, matrix);
  /* 48 bytes of the tile, in a row. */
  memset(into, 0, sizeof into);
  WORKS(p->job, upwash_receive(p->team, p->before, 4, into, sizeof into, &receipt, &receives));
  WORKS(p->job, upwash_send_laid(p->team, p->next, 4, matrix, &by_tile, NULL));
  WORKS(p->job, upwash_wait(&receives));
  CHECK(p->job, receipt.bytes == 48 && receipt.source == p->before && receipt.tag == 4);
  for (int k = 0; k < 6; ++k) {
    CHECK(p->job, into[k] == element(p->before, k / 2 * columns + k % 2));
  }
  /* A row into the tile. */
  memset(into, 0, sizeof into);
  WORKS(p->job, upwash_send(p->team, p->next, 5, matrix, 48, &sends));
  WORKS(p->job, upwash_receive_laid(p->team, p->before, 5, into, &by_tile, &receipt, NULL));
  WORKS(p->job, upwash_wait(&sends));
  for (int k = 0; k < rows * columns; ++k) {
    const int row = k / columns, column = k % columns;
    CHECK(p->job, into[k] == (row < 3 && column < 2 ? element(p->before, row * 2 + column) : 0));
  }
  /* The pieces into the tile: 40 bytes, so its last element stays. */
  memset(into, 0, sizeof into);
  WORKS(p->job, upwash_receive_laid(p->team, p->before, 6, into, &by_tile, &receipt, &receives));
  WORKS(p->job, upwash_send_laid(p->team, p->next, 6, matrix, &by_pieces, &sends));
  WORKS(p->job, upwash_wait(&receives));
  WORKS(p->job, upwash_wait(&sends));
  CHECK(p->job, receipt.bytes == 40 && into[0] == element(p->before, 1));
  CHECK(p->job, into[1] == element(p->before, 2) && into[columns] == element(p->before, 5));
  CHECK(p->job, into[2 * columns] == element(p->before, 7) && into[2 * columns + 1] == 0);
  /* Longer than the layout: an error of the wait, and nothing is laid out. */
  memset(into, 0, sizeof into);
  WORKS(p->job, upwash_receive_laid(p->team, p->before, 7, into, &by_pieces, NULL, &receives));
  WORKS(p->job, upwash_send(p->team, p->next, 7, matrix, 48, NULL));
  CHECK(p->job, upwash_wait(&receives) == UPWASH_ARGUMENT && receives == NULL);
  for (int k = 0; k < rows * columns; ++k) CHECK(p->job, into[k] == 0);
}

static void refused(const struct place* p) {
  const upwash_strided deep = {8, 9, {{1, 1, 1}}}, backwards = {8, 1, {{2, -8, 8}}};
  const upwash_layout too_deep = {&deep, NULL, 0}, back = {&backwards, NULL, 0};
  const upwash_layout list_of_none = {NULL, NULL, 1}, empty = {NULL, NULL, 0};
  const upwash_layout by_tile = {&tile, NULL, 0};
  double x[rows * columns] = {0};
  CHECK(p->job, upwash_put_laid(p->region, 0, 0, x, NULL, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job, strstr(upwash_error_text(p->job), "laid is null: give its address") != NULL);
  CHECK(p->job, upwash_put_laid(p->region, 0, 0, x, &too_deep, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job, upwash_get_laid(p->region, 0, 0, x, &back, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job, upwash_get_laid(p->region, 0, 0, x, &list_of_none, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job, upwash_put_laid(p->region, 0, 500, x, &by_tile, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job, upwash_put_laid(p->region, 0, 0, NULL, &by_tile, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job,
        upwash_accumulate(p->region, 0, 0, x, 1, NULL, UPWASH_INT8, NULL, NULL) == UPWASH_ARGUMENT);
  CHECK(p->job, strstr(upwash_error_text(p->job), "type 0 cannot be accumulated") != NULL);
  CHECK(p->job, upwash_accumulate(p->region, 0, 4, x, 1, NULL, UPWASH_DOUBLE, NULL, NULL) ==
                    UPWASH_ARGUMENT);
  CHECK(p->job, upwash_all_reduce(p->team, x, x + 2, 1, UPWASH_DOUBLE_COMPLEX, UPWASH_SUM, NULL) ==
                    UPWASH_ARGUMENT);
  CHECK(p->job, upwash_send_laid(p->team, 0, 1, NULL, &by_tile, NULL) == UPWASH_ARGUMENT);
  WORKS(p->job, upwash_put_laid(p->region, 0, 0, NULL, &empty, NULL));
  CHECK(p->job, upwash_put_laid(NULL, 0, 0, x, &by_tile, NULL) == UPWASH_ARGUMENT);
}

static int body(upwash_job* job, void* context) {
  const upwash_layout by_tile = {&tile, NULL, 0}, by_pieces = {NULL, pieces, 2};
  struct place p = {job, upwash_world(job), NULL, NULL, upwash_rank(job), 0, 0};
  const int size = upwash_size(job);
  (void)context;
  p.next = (p.rank + 1) % size;
  p.before = (p.rank + size - 1) % size;
  WORKS(job, upwash_allocate(p.team, room * sizeof(double), &p.region));
  p.here = upwash_local(p.region, NULL);
  puts_and_gets(&p, &by_tile, of_tile);
  puts_and_gets(&p, &by_pieces, of_pieces);
  accumulates(&p);
  types(&p);
  messages(&p);
  refused(&p);
  WORKS(job, upwash_barrier(p.team, NULL));
  WORKS(job, upwash_free(&p.region));
  return say_ranks(job, "layouts");
}

int main(int argc, char** argv) { return upwash_run(argc, argv, body, NULL); }
