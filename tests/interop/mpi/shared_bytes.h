// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdio.h>

// Bytes of memory that this process shares.
static long shared_bytes(void) {
  long sum = 0;
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    char rights[5];
    if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) == 3 && rights[3] == 's')
      sum += (long)(to - from);
  }
  fclose(maps);
  return sum;
}
