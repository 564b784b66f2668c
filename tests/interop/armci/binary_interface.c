/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause

   What programs compiled against ARMCI-MPI 0.3.1 of Debian 12 (with Open MPI, x86-64) have inside:
   sizes, places of members and values of enumerators, each as its headers gave it there. */
#include <armcix.h>
#include <stddef.h>
#include <string.h>

#include "check.h"

#define SAME(what, value) _Static_assert((what) == (value), #what)

SAME(ARMCI_ACC_INT, 0);
SAME(ARMCI_ACC_LNG, 1);
SAME(ARMCI_ACC_FLT, 2);
SAME(ARMCI_ACC_DBL, 3);
SAME(ARMCI_ACC_CPL, 4);
SAME(ARMCI_ACC_DCP, 5);
SAME(ARMCI_FETCH_AND_ADD, 0);
SAME(ARMCI_FETCH_AND_ADD_LONG, 1);
SAME(ARMCI_SWAP, 2);
SAME(ARMCI_SWAP_LONG, 3);
SAME(SCOPE_ALL, 0);
SAME(SCOPE_NODE, 1);
SAME(SCOPE_MASTERS, 2);
SAME(ARMCI_INT, 0);
SAME(ARMCI_LONG, 1);
SAME(ARMCI_LONG_LONG, 2);
SAME(ARMCI_FLOAT, 3);
SAME(ARMCI_DOUBLE, 4);
SAME(ARMCI_DOMAIN_SMP, 0);
SAME(sizeof(armci_size_t), 8);
SAME(sizeof(armci_domain_t), 4);
SAME(sizeof(armci_hdl_t), 8);
SAME(sizeof(armci_giov_t), 24);
SAME(offsetof(armci_giov_t, src_ptr_array), 0);
SAME(offsetof(armci_giov_t, dst_ptr_array), 8);
SAME(offsetof(armci_giov_t, bytes), 16);
SAME(offsetof(armci_giov_t, ptr_array_len), 20);
SAME(sizeof(ARMCI_Group), 40);
SAME(offsetof(ARMCI_Group, communicator), 0);
SAME(sizeof(armcix_mutex_hdl_t), 8);

/* With MPICH a group had 32 bytes: no more are written. */
int main(void) {
  CHECK(ARMCI_Init() == 0);
  struct {
    ARMCI_Group group;
  } kept;
  int all[1] = {armci_msg_me()};
  memset(&kept, 0x5a, sizeof kept);
  ARMCI_Group_create(1, all, &kept.group);
  for (size_t i = 32; i < sizeof kept; ++i) CHECK(((char*)&kept)[i] == 0x5a);
  ARMCI_Group_free(&kept.group);
  CHECK(ARMCI_Finalize() == 0);
  if (armci_msg_me() == 0) printf("binary_interface: %d ranks\n", armci_msg_nproc());
  return 0;
}
