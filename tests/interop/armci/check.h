/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   For ARMCI's test programs: a condition that ends the job when it does not hold. */
#ifndef UPWASH_TESTS_ARMCI_CHECK_H
#define UPWASH_TESTS_ARMCI_CHECK_H

#include <armci.h>
#include <stdio.h>

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, armci_msg_me(), #condition); \
      ARMCI_Error("a check failed", 1);                                                        \
    }                                                                                          \
  } while (0)

#endif
