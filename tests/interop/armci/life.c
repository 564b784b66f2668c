/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   Messages before ARMCI_Init, ARMCI_Init more than once, and the rank after ARMCI_Finalize. */
#include "check.h"

int main(int argc, char** argv) {
  const int me = armci_msg_me();
  const int size = armci_msg_nproc();
  int sum = me;
  CHECK(me >= 0 && me < size);
  CHECK(ARMCI_Initialized() == 0);
  armci_msg_igop(&sum, 1, "+");
  CHECK(sum == size * (size - 1) / 2);

  CHECK(ARMCI_Init_args(&argc, &argv) == 0);
  CHECK(ARMCI_Init() == 0);
  CHECK(ARMCI_Init_thread(2) == 0);
  CHECK(ARMCI_Initialized() == 1);
  CHECK(ARMCI_Create_mutexes(1) == 0); /* go with ARMCI */
  CHECK(ARMCI_Finalize() == 0);
  CHECK(ARMCI_Finalize() == 0);
  CHECK(ARMCI_Initialized() == 1);
  CHECK(ARMCI_Finalize() == 0);
  CHECK(ARMCI_Initialized() == 0);
  CHECK(ARMCI_Finalize() == 0);
  CHECK(armci_msg_me() == me && armci_msg_nproc() == size);

  CHECK(ARMCI_Init() == 0);
  CHECK(ARMCI_Create_mutexes(2) == 0);
  ARMCI_Barrier();
  CHECK(ARMCI_Finalize() == 0);
  armci_msg_barrier();
  const double before = armci_timer();
  CHECK(armci_timer() >= before);
  if (me == 0) printf("life: %d ranks\n", size);
  return 0;
}
