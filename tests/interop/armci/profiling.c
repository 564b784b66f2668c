/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   A tool's own ARMCI_Put, which counts and calls the library's. */
#include "check.h"

static int puts_seen;

int ARMCI_Put(void* source, void* destination, int bytes, int proc) {
  ++puts_seen;
  return PARMCI_Put(source, destination, bytes, proc);
}

int main(void) {
  void* base[64];
  CHECK(PARMCI_Init() == 0);
  const int me = armci_msg_me();
  CHECK(ARMCI_Malloc(base, 8) == 0);
  CHECK(ARMCI_Put(&puts_seen, base[me], 4, me) == 0);
  CHECK(puts_seen == 1 && *(int*)base[me] == 1);
  parmci_msg_barrier();
  CHECK(PARMCI_Free(base[me]) == 0);
  CHECK(PARMCI_Finalize() == 0);
  if (me == 0) printf("profiling: %d ranks\n", armci_msg_nproc());
  return 0;
}
