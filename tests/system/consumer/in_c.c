/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <upwash.h>

#if UPWASH_VERSION_NUMBER < 100
#error "the header does not say its version"
#endif

int main(void) {
  const int same =
      strcmp(upwash_version(), UPWASH_VERSION) == 0 && strcmp(upwash_version(), FOUND_VERSION) == 0;
  puts(same ? "works" : upwash_version());
  return 0;
}
