/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Accumulates of all types, contiguous, strided and vector, from all ranks to rank 0. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { n = 96, times = 40, most_ranks = 16 };

typedef struct {
  double re, im;
} double_complex;
typedef struct {
  float re, im;
} float_complex;

/* `shape`: contiguous, every second element by strides, or the same by a list. */
static void sum(int type, void* scale, void* x, char* to, int element, int shape) {
  int counts[2] = {element, n / 2};
  int strides[1] = {2 * element};
  void* from[n / 2];
  void* into[n / 2];
  armci_giov_t list = {from, into, element, n / 2};
  for (int i = 0; i < n / 2; ++i) {
    from[i] = (char*)x + 2 * i * element;
    into[i] = to + 2 * i * element;
  }
  if (shape == 0) CHECK(ARMCI_Acc(type, scale, x, to, n * element, 0) == 0);
  if (shape == 1) CHECK(ARMCI_AccS(type, scale, x, strides, to, strides, counts, 1, 0) == 0);
  if (shape == 2) CHECK(ARMCI_AccV(type, scale, &list, 1, 0) == 0);
}

/* All are whole numbers that their types hold exactly. */
static void all_types(int me, int size, char* to, int shape) {
  int i4 = 2;
  long i8 = -3;
  float f4 = 0.5F;
  double f8 = 4;
  float_complex c4 = {0, 1};
  double_complex c8 = {1, 2};
  int a[n];
  long b[n];
  float c[n];
  double d[n];
  float_complex e[n];
  double_complex f[n];
  for (int i = 0; i < n; ++i) {
    a[i] = me + i;
    b[i] = me + i;
    c[i] = (float)(2 * me + i);
    d[i] = me + i;
    e[i].re = (float)me;
    e[i].im = (float)i;
    f[i].re = me;
    f[i].im = i;
  }
  for (int k = 0; k < times; ++k) {
    sum(ARMCI_ACC_INT, &i4, a, to, sizeof *a, shape);
    sum(ARMCI_ACC_LNG, &i8, b, to + 2048, sizeof *b, shape);
    sum(ARMCI_ACC_FLT, &f4, c, to + 4096, sizeof *c, shape);
    sum(ARMCI_ACC_DBL, &f8, d, to + 6144, sizeof *d, shape);
    sum(ARMCI_ACC_CPL, &c4, e, to + 8192, sizeof *e, shape);
    sum(ARMCI_ACC_DCP, &c8, f, to + 10240, sizeof *f, shape);
  }
  ARMCI_Barrier();
  const int me_sum = times * size * (size - 1) / 2;
  const int all = times * size;
  for (int i = 0; me == 0 && i < n; ++i) {
    const int on = shape == 0 || i % 2 == 0;
    CHECK(((int*)to)[i] == on * 2 * (me_sum + all * i));
    CHECK(((long*)(to + 2048))[i] == on * -3 * (me_sum + all * i));
    CHECK(((float*)(to + 4096))[i] == (float)on * 0.5F * (float)(2 * me_sum + all * i));
    CHECK(((double*)(to + 6144))[i] == on * 4.0 * (me_sum + all * i));
    CHECK(((float_complex*)(to + 8192))[i].re == (float)(on * -all * i));
    CHECK(((float_complex*)(to + 8192))[i].im == (float)(on * me_sum));
    CHECK(((double_complex*)(to + 10240))[i].re == on * (me_sum - 2.0 * all * i));
    CHECK(((double_complex*)(to + 10240))[i].im == on * (2.0 * me_sum + all * i));
  }
}

int main(void) {
  void* base[most_ranks];
  CHECK(ARMCI_Init() == 0);
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  CHECK(size <= most_ranks);
  for (int shape = 0; shape < 3; ++shape) {
    CHECK(ARMCI_Malloc(base, 12288) == 0);
    all_types(me, size, base[0], shape);
    CHECK(ARMCI_Free(base[me]) == 0);
  }
  CHECK(ARMCI_Finalize() == 0);
  if (me == 0) printf("sums: %d ranks\n", size);
  return 0;
}
