/* SPDX-FileCopyrightText: the upwash authors
   SPDX-License-Identifier: BSD-3-Clause */
#include <armci.h>
#include <stdio.h>

int main(void) {
  puts(ARMCI_Init() == 0 ? "works" : "ARMCI_Init");
  ARMCI_Finalize();
  return 0;
}
