/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   For programs in C: conditions that end the job when they do not hold. */
#ifndef UPWASH_TESTS_C_CHECK_H
#define UPWASH_TESTS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upwash.h>

#define CHECK(job, condition)                                                            \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: rank %d: %s (%s)\n", __FILE__, __LINE__, upwash_rank(job), \
              #condition, upwash_error_text(job));                                       \
      upwash_abort(job, 1, "a check failed");                                            \
    }                                                                                    \
  } while (0)
/* That a call works. */
#define WORKS(job, call) CHECK(job, (call) == UPWASH_OK)

/* Numbers that all ranks draw alike. */
static inline uint32_t drawn(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

static inline int say_ranks(upwash_job* job, const char* name) {
  WORKS(job, upwash_barrier(upwash_world(job), NULL));
  if (upwash_rank(job) == 0) printf("%s: %d ranks\n", name, upwash_size(job));
  return 0;
}

#endif
